"""einops, opt_einsum, tensorly: array libraries behind an interface, chosen by the class."""

import einops

from tests.neighbours.survey.inputs import grid, pending, raised, rounded

PACKAGE = "einops"


def rearranged(np):
    x = grid(np).reshape(20, 20, 25, 20)
    return (
        einops.rearrange(x, "b h w c -> b c (h w)"),
        einops.rearrange([x[0], x[1]], "b h w c -> h (b w) c"),
        einops.repeat(np.arange(6).reshape(2, 3), "h w -> (h 2) (w 3)"),
    )


def types(np):
    y = einops.rearrange(pending(np), "(a b) -> a b", a=100)
    return type(y), y.base is not None, y


@rounded(1e-13)
def reduced(np):
    x = grid(np).reshape(20, 20, 25, 20)
    return [einops.reduce(x, "b (h 2) w c -> b h c", how) for how in ("mean", "max", "sum", "min")]


@rounded(1e-13)
def products(np):
    a, b = grid(np, rows=40, columns=50), grid(np, rows=50, columns=30)
    return einops.einsum(a, b, "i j, j k -> k i"), einops.asnumpy(a), einops.parse_shape(a, "x y")


def packed(np):
    parts = [np.ones((2, 3)), np.zeros((2, 4, 5)), pending(np)[:2]]
    whole, shapes = einops.pack(parts, "i *")
    return whole, shapes, einops.unpack(whole, shapes, "i *")


def wrong_shape(np):
    return raised(lambda: einops.rearrange(np.ones((4, 5)), "(a b) c -> a b c", a=3))[0]


@rounded(1e-12)
def paths(np):
    import opt_einsum

    rng = np.random.default_rng(1)
    a, b, c = rng.random((8, 9)), rng.random((9, 10)), rng.random((10, 8))
    path, info = opt_einsum.contract_path("ij,jk,kl->il", a, b, c)
    expression = opt_einsum.contract_expression("ij,jk,ki->", (8, 9), (9, 10), (10, 8))
    return (
        opt_einsum.contract("ij,jk,kl->il", a, b, c),
        path,
        int(info.opt_cost),
        expression(a, b, c),
    )


@rounded(1e-12)
def shared_intermediates(np):
    import opt_einsum

    a, b = grid(np, rows=30, columns=30), np.eye(30)
    with opt_einsum.shared_intermediates():
        return opt_einsum.contract("ij,jk->ik", a, b), opt_einsum.contract("ij,jk->k", a, b)


@rounded(1e-8)
def decompositions(np):
    import tensorly
    from tensorly.decomposition import parafac, tucker

    x = tensorly.tensor(np.random.default_rng(3).random((5, 6, 7)))
    core, factors = tucker(x, rank=[2, 3, 2], random_state=1)
    return (
        tensorly.unfold(x, 1),
        tensorly.tucker_to_tensor((core, factors)),
        tensorly.cp_to_tensor(parafac(x, rank=2, random_state=1, n_iter_max=20)),
    )
