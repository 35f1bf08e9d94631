"""Modules of single kinds: sizes that the project file leaves open are read off the tensor `x` that arrives."""
import torch
import torchvision
from kinds_sequence import SEQUENCE_BUILDERS
from torch import nn


class SelfBilinear(nn.Bilinear):
    def forward(self, x):
        return super().forward(x, x)


class DepthwiseSeparable(nn.Module):
    def __init__(self, channels, out_channels, kernel_size, bias=True, **window):
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, kernel_size, groups=channels, bias=bias, **window)
        self.pointwise = nn.Conv2d(channels, out_channels, 1, bias=bias)

    def forward(self, x):
        return self.pointwise(self.depthwise(x))


class GlobalPool(nn.Module):
    def __init__(self, reduce, keepdim=False):
        super().__init__()
        self.reduce = reduce
        self.keepdim = keepdim

    def forward(self, x):
        if x.dim() < 3:
            raise ValueError("no positions to pool")
        y = self.reduce(x.flatten(2))
        return y.reshape(*y.shape, *[1] * (x.dim() - 2)) if self.keepdim else y


class Permute(nn.Module):
    """Its answer lies in memory as its shape says: masks that are drawn after it follow that order."""

    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return torch.permute(x, self.dims).contiguous()


def channels(kind):
    """A kind of torch.nn whose first argument is the number of channels, PyTorch's dimension 1."""
    return lambda given, x: getattr(nn, kind)(x.shape[1], **given)


def linear(given, x):
    return nn.Linear(x.shape[-1] if x.dim() > 1 else -1, **given)


def last_sizes(kind):
    """A norm over the last dimension, where `normalized_shape` names no others."""

    def build(given, x):
        shape = given.pop("normalized_shape", None)
        return getattr(nn, kind)(x.shape[-1] if shape is None else shape, **given)

    return build


def squeeze(given, x):
    """torchvision's own names."""
    functions = {key: getattr(nn, given[key]) for key in ("activation", "scale_activation") if key in given}
    if x.dim() != 4:
        raise ValueError("torchvision's block is for images")
    return torchvision.ops.SqueezeExcitation(x.shape[1], given["squeeze_channels"], **functions)


def along(kind):
    """A softmax; the project file's default is dimension 1, PyTorch's own depends on the rank and is deprecated."""
    return lambda given, x: getattr(nn, kind)(**{"dim": 1, **given})


BUILDERS = {
    "Linear": linear,
    **{kind: channels(kind) for rank in "123" for kind in (f"Conv{rank}d", f"ConvTranspose{rank}d", f"BatchNorm{rank}d", f"InstanceNorm{rank}d")},
    **{kind: last_sizes(kind) for kind in ("LayerNorm", "RMSNorm")},
    **{kind: along(kind) for kind in ("Softmax", "LogSoftmax", "Softmin")},
    "GroupNorm": lambda given, x: nn.GroupNorm(num_channels=x.shape[1], **given),
    "Bilinear": lambda given, x: SelfBilinear(x.shape[-1], x.shape[-1], **given),
    "DepthwiseSeparableConv2d": lambda given, x: DepthwiseSeparable(x.shape[1], **given),
    "GlobalAvgPool": lambda given, x: GlobalPool(lambda flat: flat.mean(2), **given),
    "GlobalMaxPool": lambda given, x: GlobalPool(lambda flat: flat.amax(2), **given),
    "Permute": lambda given, x: Permute(**given),
    "SqueezeExcite": squeeze,
    "StochasticDepth": lambda given, x: torchvision.ops.StochasticDepth(**{"mode": "row", **given}),
    **SEQUENCE_BUILDERS,
}
