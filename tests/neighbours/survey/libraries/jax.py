"""JAX: arrays as arguments, constants and results of its functions."""

import jax
import jax.numpy as jnp

from tests.neighbours.survey.inputs import grid, pending, rounded


def asarray(np):
    return np.asarray(jnp.asarray(np.arange(3.0))), np.asarray(jnp.asarray(pending(np)))


def array(np):
    return np.asarray(jnp.array(np.arange(3.0))), np.asarray(jnp.array(grid(np, "int32")))


@rounded(1e-6)
def functions(np):
    x = np.arange(5, dtype=np.float32)
    return float(jnp.sum(x)), np.asarray(jnp.sin(x)), float(jnp.sum(pending(np, "float32")))


def arithmetic(np):
    j, x = jnp.arange(3.0), np.arange(3, dtype=np.float32)
    return np.asarray(j + x), np.asarray(x + j), type(x + j).__name__


def jit(np):
    f = jax.jit(lambda a: a * 2)
    return np.asarray(f(np.arange(3.0))), np.asarray(f(pending(np)))


def grad(np):
    return np.asarray(jax.grad(lambda a: (a**2).sum())(np.arange(3, dtype=np.float32)))


def vmap(np):
    return np.asarray(jax.vmap(lambda row: row.sum())(grid(np, "float32")))


def device_put(np):
    return np.asarray(jax.device_put(np.arange(3.0))), np.asarray(jax.device_put(pending(np)))


def constant(np):
    table = np.arange(4, dtype=np.float32)
    return np.asarray(jax.jit(lambda a: a + table)(jnp.ones(4)))


def tree(np):
    f = jax.jit(lambda held: held["a"] + held["b"][0])
    return np.asarray(f({"a": np.ones(3), "b": [pending(np)[:3]]}))


def types(np):
    names = "bool uint8 int32 float16 float32 complex64".split()
    return [str(jnp.asarray(np.arange(3).astype(name)).dtype) for name in names]


def index(np):
    j = jnp.arange(10)
    changed = j.at[np.array([1, 2])].set(0)
    return np.asarray(j[np.array([1, 3])]), np.asarray(changed), np.asarray(j[np.arange(10) > 7])


def array_of_a_jax_array(np):
    j = jnp.arange(200_000.0)
    x = np.asarray(j)
    return x, x + 1, np.sum(j), np.array(j).flags.writeable
