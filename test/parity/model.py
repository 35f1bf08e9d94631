"""The network of a project file as torch.nn modules, built from the file alone: sizes that follow are read off tensors that arrive."""
import copy

import torch
from kinds import BUILDERS
from kinds_sequence import Padding
from torch import nn

# Keys that a layer of any kind may have.
COMMON = ("kind", "disabled", "train", "name", "note")


def beside(modules, x):
    """
    What each makes of x. Where they have as many positions they must agree which are padding, else nothing is marked behind them; a single one
    that is broadcast over a sequence has no say.
    """
    outputs, paddings, before = [], [], Padding.now
    for module in modules:
        Padding.now = before
        outputs.append(module(x))
        paddings.append(Padding.now)
    length = max(output.shape[1] for output in outputs)
    told = [padding for output, padding in zip(outputs, paddings) if output.shape[1] == length]
    Padding.now = told[0] if all(padding is told[0] for padding in told) else None
    return outputs


class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers = layers
        self.shortcut = shortcut

    def forward(self, x):
        main, side = beside([self.layers, self.shortcut], x)
        return main + side


class Parallel(nn.Module):
    def __init__(self, branches, join="concat", dim=1):
        super().__init__()
        self.branches = nn.ModuleList(branches)
        self.join = join
        self.dim = dim

    def forward(self, x):
        outputs = beside(self.branches, x)
        if self.join == "concat":
            return torch.cat(outputs, self.dim)
        result = outputs[0]
        for other in outputs[1:]:
            result = result + other if self.join == "add" else result * other
        return result


class Block(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        return self.layers(x)


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
    """What the module makes of x, leaving the generator, its own statistics and its weights as they are."""
    if any(getattr(inside, "max_norm", None) is not None for inside in module.modules()):
        module = copy.deepcopy(module)  # tables that shorten their rows do so in evaluation, too
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        module.eval()
        x = module(x)
        module.train()
    return x


def mixes(module, x):
    """Whether a sample's answer depends on the other samples: what no layer of a project may do, and what PyTorch often allows."""
    if any(getattr(inside, "track_running_stats", None) is False and "BatchNorm" in type(inside).__name__ for inside in module.modules()):
        return False  # statistics of the batch are what was asked for
    # The last: a sequence that runs along the batch reaches them. Two, since GroupNorm refuses a single one with one value a group.
    padding = Padding.now
    whole = answer(module, x)
    Padding.now = padding
    part = answer(module, x[-2:])
    Padding.now = padding
    return whole.shape != (len(x), *part.shape[1:]) or not torch.allclose(whole[-2:], part, rtol=1e-3, atol=1e-4, equal_nan=True)


def build(layer, x, blocks):
    module = made(layer, x, blocks)
    module.made_from = id(layer)
    return module


def made(layer, x, blocks):
    given = {key: tuple(value) if is_tuple(value) else value for key, value in layer.items() if key not in COMMON}
    kind = layer["kind"]
    if kind == "Residual":
        main, y = build_list(given["layers"], x, blocks)
        return Residual(main, shortcut(given.get("shortcut"), main, x, y, blocks))
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
    if kind in BUILDERS:
        return BUILDERS[kind](given, x)
    return getattr(nn, kind)(**given)


def is_tuple(value):
    return isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value)


def shortcut(given, main, x, y, blocks):
    # A list without layers arrives as an empty tuple.
    if isinstance(given, (list, tuple)):
        return build_list(given, x, blocks)[0]
    if given is None or x.shape == y.shape:
        return nn.Sequential()  # the sum may be broadcast
    # "auto": a convolution with a window of one where some stride fits, else a Linear over the last dimension; both without bias. What has
    # two dimensions is convolved where something inside works along a length, else only where a Linear does not do.
    ways = [convolution, last]
    if x.dim() == 3 and not any(type(inside).__name__.endswith("1d") for inside in main.modules()):
        ways.reverse()
    # Where there is no single projection the input may still be broadcast.
    found = next((module for module in (way(x, y) for way in ways) if module is not None), None)
    return nn.Sequential() if found is None else nn.Sequential(found)


def convolution(x, y):
    kind = {3: nn.Conv1d, 4: nn.Conv2d, 5: nn.Conv3d}.get(x.dim())
    if kind is None or x.dim() != y.dim():
        return None
    strides = [
        next((stride for stride in range(1, size + 1) if (size - 1) // stride + 1 == wanted), None)
        for size, wanted in zip(x.shape[2:], y.shape[2:])
    ]
    return None if None in strides else kind(x.shape[1], y.shape[1], 1, stride=tuple(strides), bias=False)


def last(x, y):
    return nn.Linear(x.shape[-1], y.shape[-1], bias=False) if x.shape[:-1] == y.shape[:-1] else None
