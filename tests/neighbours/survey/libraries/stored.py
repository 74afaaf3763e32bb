"""hickle, dill, jsonpickle, deepdiff, asdf, voyager, lap: arrays in objects stored, compared."""

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


def asdf_file(np):
    import asdf

    x = pending(np)
    tree = {"x": x, "views": [x[::3], x[:6].reshape(2, 3).T], "in text": np.ones(2) * 3}
    file = asdf.AsdfFile(tree)
    file.set_array_storage(tree["in text"], "inline")
    file.write_to("a.asdf")
    with asdf.open("a.asdf") as read:
        values = read["x"][:5], read["views"][1][...], read["in text"][...]
    with open("a.asdf", "rb") as written:
        return written.read(), values


def asdf_update(np):
    import asdf

    asdf.AsdfFile({"x": np.arange(3.0)}).write_to("b.asdf", all_array_compression="zlib")
    with asdf.open("b.asdf", mode="rw") as file:
        file["y"] = pending(np)
        file.update()
    with asdf.open("b.asdf") as read:
        return read["x"][...], read["y"][-3:]


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
