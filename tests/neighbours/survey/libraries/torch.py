"""PyTorch: tensors of arrays, arrays of tensors, memory that both use, training."""

import torch
from torch.utils.data import DataLoader, TensorDataset, default_collate

from tests.neighbours.survey.inputs import grid, pending, raised, rounded


def _numbers(tensor):
    return tensor.numpy(), str(tensor.dtype), tuple(tensor.shape)


def from_numpy(np):
    return _numbers(torch.from_numpy(np.ones(3))), _numbers(torch.from_numpy(pending(np)))


def from_numpy_shares_memory(np):
    x = pending(np)
    t = torch.from_numpy(x)
    t += 1
    x += 1
    y = x * 2
    x += 1
    t *= 2
    return _numbers(t), x, y


def from_numpy_of_a_view(np):
    x = pending(np)
    t = torch.from_numpy(x[10:5000:7])
    t.zero_()
    return x, x.sum()


def from_numpy_of_a_matrix(np):
    x = grid(np, "float32")
    t = torch.from_numpy(x.T)
    return _numbers(t), t.stride(), t.is_contiguous()


def asarray(np):
    return _numbers(torch.asarray(np.arange(3.0))), _numbers(torch.asarray(np.ones((2, 2))))


def asarray_of_a_pending_array(np):
    return _numbers(torch.asarray(pending(np))), _numbers(torch.asarray(pending(np, "int64")))


def asarray_with_a_type(np):
    return _numbers(torch.asarray(np.arange(3.0), dtype=torch.float64))


def as_tensor(np):
    x = pending(np)
    t = torch.as_tensor(x)
    t[0] = 9
    return _numbers(torch.as_tensor(np.arange(3))), _numbers(t), x[:3]


def tensor(np):
    return _numbers(torch.tensor(np.arange(3.0))), _numbers(torch.tensor(pending(np, "int32")))


def tensor_of_a_list_of_arrays(np):
    return _numbers(torch.tensor([np.arange(2.0), np.ones(2)]))


def from_dlpack(np):
    x = pending(np)
    t = torch.from_dlpack(x)
    t += 1
    return _numbers(t), x


def constructor(np):
    return _numbers(torch.Tensor(np.arange(3.0))), _numbers(torch.FloatTensor(np.arange(3.0)))


def every_type(np):
    names = "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128"
    return [_numbers(torch.from_numpy(np.arange(3).astype(name))) for name in names.split()]


def tensor_plus_array(np):
    t = torch.arange(3.0)
    return _numbers(t + np.float32(1)), _numbers(t * torch.as_tensor(np.ones(3)))


def array_plus_tensor(np):
    t = torch.arange(3.0, dtype=torch.float64)
    return raised(lambda: np.ones(3) + t)[0], raised(lambda: t + np.ones(3))[0], np.sqrt(t)


def array_of_a_tensor(np):
    t = torch.arange(200_000.0)
    x = np.asarray(t)
    x[0] = 5
    y = x * 2
    t += 1
    return np.asarray(t.numpy()), y, float(t[0])


def function_of_the_module_on_a_tensor(np):
    t = torch.arange(6.0).reshape(2, 3)
    return np.sum(np.asarray(t)), np.concatenate([t.numpy(), t.numpy()]), np.mean(t.numpy())


def assigned_to_a_tensor(np):
    t = torch.zeros(200_000, dtype=torch.float64)
    t[:] = torch.as_tensor(pending(np))
    t[:3] = torch.tensor([np.float64(1), 2, 3])
    return _numbers(t)


def index_with_an_array(np):
    t = torch.arange(10)
    return _numbers(t[np.array([1, 3])]), _numbers(t[np.arange(10) > 7])


def collate(np):
    return _numbers(default_collate([np.ones(3), np.zeros(3)]))


def data_set(np):
    x = torch.from_numpy(grid(np, "float32"))
    batches = list(DataLoader(TensorDataset(x), batch_size=100))
    return len(batches), _numbers(batches[1][0])


@rounded(1e-4)
def training(np):
    torch.manual_seed(0)
    x = torch.from_numpy((np.arange(64.0) / 64).astype(np.float32)[:, None])
    y = torch.from_numpy((np.arange(64.0) / 32 + 1).astype(np.float32)[:, None])
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(20):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return float(loss.detach())


def storage(np):
    x = pending(np, "float32")
    t = torch.frombuffer(x, dtype=torch.float32)
    t[:5] = -1
    x *= 2
    return x, float(t[0])


def the_tensor_outlives_the_array(np):
    def make():
        x = pending(np)
        return torch.from_numpy(x)

    tensors = [make() for _ in range(5)]
    return [float(t.sum()) for t in tensors]
