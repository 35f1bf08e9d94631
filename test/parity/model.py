"""The network of a project file as torch.nn modules, built from the file alone: sizes that follow are read off tensors that arrive."""
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers = layers
        self.shortcut = shortcut

    def forward(self, x):
        main, side = self.layers(x), self.shortcut(x)
        # The project file's rule: no broadcasting in a sum.
        assert main.shape == side.shape, f"{main.shape} + {side.shape}"
        return main + side


class Parallel(nn.Module):
    def __init__(self, branches, join="concat", dim=1):
        super().__init__()
        self.branches = nn.ModuleList(branches)
        self.join = join
        self.dim = dim

    def extra_repr(self):
        return f"join={self.join}, dim={self.dim}"

    def forward(self, x):
        outputs = [branch(x) for branch in self.branches]
        if self.join == "concat":
            keep_samples_apart(self.dim, outputs[0])
            return torch.cat(outputs, self.dim)
        result = outputs[0]
        for other in outputs[1:]:
            assert result.shape == other.shape, f"{result.shape} and {other.shape}"
            result = result + other if self.join == "add" else result * other
        return result


class Block(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x)


def keep_samples_apart(dim, x):
    """The project file's rule: no layer works along the batch."""
    if dim in (0, -x.dim()):
        raise ValueError(f"dim {dim} is the batch")


def build_list(layers, x, blocks):
    """A Sequential and what it makes of x; in_features and kin are read from the tensors that arrive."""
    modules = []
    for layer in layers:
        if layer.get("disabled"):
            continue
        module = build(layer, x, blocks)
        x = answer(module, x)
        modules.append(module)
    return nn.Sequential(*modules), x


def answer(module, x):
    """What the module makes of x, leaving the generator and its own statistics as they are."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        module.eval()
        x = module(x)
        module.train()
    return x


def build(layer, x, blocks):
    given = {key: value for key, value in layer.items() if key not in ("kind", "disabled", "train", "name", "note")}
    given = {key: tuple(value) if isinstance(value, list) and key not in ("layers", "branches", "shortcut") else value for key, value in given.items()}
    kind = layer["kind"]
    if kind == "Linear":
        return nn.Linear(x.shape[-1] if x.dim() > 1 else -1, **given)
    if kind == "Conv2d":
        return nn.Conv2d(x.shape[1], **given)
    if kind == "BatchNorm2d":
        return nn.BatchNorm2d(x.shape[1], **given)
    if kind == "LayerNorm":
        return nn.LayerNorm(given.pop("normalized_shape", x.shape[-1]), **given)
    if kind in ("Softmax", "LogSoftmax"):
        # The project file's default; PyTorch's own depends on the rank and is deprecated.
        given.setdefault("dim", 1)
        keep_samples_apart(given["dim"], x)
    if kind == "Flatten":
        keep_samples_apart(given.get("start_dim", 1), x)
        keep_samples_apart(given.get("end_dim", -1), x)
    if kind == "Residual":
        main, y = build_list(given["layers"], x, blocks)
        return Residual(main, shortcut(given.get("shortcut"), x, y, blocks))
    if kind == "Parallel":
        branches = [build_list(branch, x, blocks)[0] for branch in given.pop("branches")]
        return Parallel(branches, **given)
    if kind == "Repeat":
        repetitions = []
        for _ in range(given["times"]):
            repetition, x = build_list(given["layers"], x, blocks)
            repetitions.append(repetition)
        return nn.Sequential(*repetitions)
    if kind == "Block":
        return Block(build_list(blocks[given["ref"]]["layers"], x, blocks)[0])
    return getattr(nn, kind)(**given)


def shortcut(given, x, y, blocks):
    if isinstance(given, list):
        return build_list(given, x, blocks)[0]
    if given is None or x.shape == y.shape:
        return nn.Sequential()
    # "auto": a 1x1 convolution where some stride fits, else a Linear over the last dimension; both without bias.
    if x.dim() == 4 and y.dim() == 4:
        strides = [
            next((stride for stride in range(1, size + 1) if (size - 1) // stride + 1 == wanted), None)
            for size, wanted in zip(x.shape[2:], y.shape[2:])
        ]
        if None not in strides:
            return nn.Sequential(nn.Conv2d(x.shape[1], y.shape[1], 1, stride=strides, bias=False))
    assert x.shape[:-1] == y.shape[:-1], "no single projection"
    return nn.Sequential(nn.Linear(x.shape[-1], y.shape[-1], bias=False))
