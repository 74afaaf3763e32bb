"""hickle, dill, jsonpickle, deepdiff, voyager, lap: objects with arrays stored and compared."""

import dill

from tests.neighbours.survey.inputs import pending

PACKAGE = "dill"


def dilled(np):
    f = dill.loads(dill.dumps(lambda y: (y * 2).sum()))
    return dill.loads(dill.dumps([pending(np), np.eye(2)])), f(np.ones(2))


def hickled(np):
    import hickle

    hickle.dump({"a": np.arange(3.0), "b": [np.ones(2)]}, "a.hkl", mode="w")
    return hickle.load("a.hkl")


def json(np):
    import jsonpickle
    import jsonpickle.ext.numpy

    jsonpickle.ext.numpy.register_handlers()
    text = jsonpickle.encode({"a": np.arange(3.0)})
    return text, jsonpickle.decode(text)


def differences(np):
    from deepdiff import DeepDiff

    found = DeepDiff({"a": np.arange(3)}, {"a": np.array([0, 1, 3])})
    return str(found), DeepDiff(np.ones(3), np.ones(3)) == {}


def nearest(np):
    import voyager

    index = voyager.Index(voyager.Space.Euclidean, 4)
    index.add_items(np.arange(40, dtype="f4").reshape(10, 4))
    return index.query(np.ones(4, "f4"), 2)


def assigned(np):
    import lap

    return lap.lapjv(np.arange(9.0).reshape(3, 3) ** 2 % 7), lap.lapjv(
        pending(np)[:9].reshape(3, 3)
    )
