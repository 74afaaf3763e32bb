"""TensorFlow: tensors of arrays and arrays of tensors."""

import tensorflow as tf

from tests.neighbours.survey.inputs import grid, pending, rounded


def constants(np):
    return tf.constant(np.arange(3.0)).numpy(), tf.convert_to_tensor(pending(np)).numpy()


def types(np):
    names = "bool uint8 int32 int64 float16 float32 float64 complex64".split()
    return [tf.constant(np.arange(3).astype(name)).dtype.name for name in names]


@rounded(1e-12)
def functions(np):
    return (
        tf.reduce_sum(grid(np)).numpy(),
        tf.sin(np.arange(3.0)).numpy(),
        tf.matmul(np.eye(3), np.ones((3, 2))).numpy(),
    )


def arithmetic(np):
    t = tf.constant([1.0, 2, 3], tf.float64)
    return (t + np.ones(3)).numpy(), type(np.ones(3) + t).__name__, (np.ones(3) * t).numpy()


def variables(np):
    v = tf.Variable(np.zeros(3))
    v.assign(np.arange(3.0))
    v.assign_add(np.ones(3))
    return v.numpy()


def data_sets(np):
    return [b.numpy() for b in tf.data.Dataset.from_tensor_slices(np.arange(6)).batch(2)]


def functions_of_the_module(np):
    t = tf.constant([1.0, 4.0])
    return np.sqrt(t), np.asarray(t) + 1, np.concatenate([t, t]), np.sum(t)


def traced(np):
    table = np.arange(3.0)
    f = tf.function(lambda a: a * 2 + table)
    return f(np.ones(3)).numpy()


@rounded(1e-5)
def gradient(np):
    v = tf.Variable(np.arange(3.0))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v * np.ones(3))
    return tape.gradient(loss, v).numpy()


def used_again(np):
    x = np.asarray(tf.range(200_000, dtype=tf.float64))
    y = x * 2
    return tf.reduce_sum(y).numpy(), y


@rounded(1e-3)
def fit(np):
    tf.keras.utils.set_random_seed(1)
    x = (np.arange(64.0) / 64).astype("float32")[:, None]
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    history = model.fit(x, x * 2 + 1, epochs=2, verbose=0)
    return history.history["loss"], model.predict(x, verbose=0)
