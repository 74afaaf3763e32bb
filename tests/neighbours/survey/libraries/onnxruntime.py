"""ONNX Runtime: arrays as inputs of a session, and values made of them."""

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from tests.neighbours.survey.inputs import pending


def _session(size=None):
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [size]) for name in "ab"]
    graph = helper.make_graph([helper.make_node("Neg", ["a"], ["b"])], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString())


def run(np):
    return _session().run(None, {"a": np.arange(3, dtype=np.float32)})


def run_on_a_pending_array(np):
    return _session().run(None, {"a": pending(np, "float32")})


def value_of_an_array(np):
    value = onnxruntime.OrtValue.ortvalue_from_numpy(np.arange(3, dtype=np.float32))
    return value.numpy(), value.shape()


def bound_input(np):
    session = _session()
    binding = session.io_binding()
    binding.bind_cpu_input("a", pending(np, "float32"))
    binding.bind_output("b")
    session.run_with_iobinding(binding)
    return binding.copy_outputs_to_cpu()[0]


def result_used_again(np):
    session = _session()
    (result,) = session.run(None, {"a": pending(np, "float32")})
    y = np.asarray(result) * 2
    return session.run(None, {"a": y})[0]


def wrong_type(np):
    try:
        _session().run(None, {"a": np.arange(3)})
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def onnx_tensor(np):
    tensor = numpy_helper.from_array(np.arange(4, dtype=np.float32), "t")
    return numpy_helper.to_array(tensor), len(tensor.SerializeToString())


def checked_model(np):
    tensor = numpy_helper.from_array(pending(np, "float32"), "t")
    return onnx.load_model_from_string is not None, tensor.dims[0], len(tensor.raw_data)
