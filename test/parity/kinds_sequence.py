"""Modules of the kinds that read sequences, and how a mask of padding gets from one to the next.

Masks that a dropout draws follow the order in which an answer lies in memory: as its shape says, but for recurrent layers, PyTorch's own.
"""
import math

import torch
from torch import nn


class Padding:
    """Which positions of the sequence are padding (samples × length), as the layers before say; None: none are."""

    now = None

    @classmethod
    def of(cls, x):
        # Fewer samples are the last ones, looked at by themselves.
        return None if cls.now is None else cls.now[-len(x):]


def lengths(padding):
    """Positions up to the last that is no padding."""
    return torch.tensor([max(index + 1 for index, padded in enumerate(row) if not padded) for row in padding.tolist()])


class Embedding(nn.Embedding):
    noise = 0  # other vectors where there is padding, for whoever asks what becomes of them

    def __init__(self, *args, mask_padding=False, **kwargs):
        super().__init__(*args, **kwargs)
        if mask_padding and self.padding_idx is None:
            raise ValueError("no token is padding")
        self.mask_padding = mask_padding

    def forward(self, tokens):
        Padding.now = None
        if self.mask_padding:
            if tokens.dim() != 2:
                raise ValueError("padding is of sequences")
            padding = tokens == self.padding_idx
            # A sample of nothing else has no padding.
            Padding.now = torch.stack([torch.zeros_like(row) if row.all() else row for row in padding])
        vectors = super().forward(tokens)
        if Padding.now is None or Embedding.noise == 0:
            return vectors
        return torch.where(Padding.now[..., None], vectors + Embedding.noise * torch.randn_like(vectors), vectors)


class Recurrent(nn.Module):
    def __init__(self, kind, x, given):
        super().__init__()
        self.output = given.pop("output", "sequence")
        if self.output not in ("sequence", "last"):
            raise ValueError(self.output)
        self.rnn = getattr(nn, kind)(x.shape[-1], batch_first=True, **given)

    def forward(self, x):
        padding = Padding.of(x)
        if padding is None:
            answers, _ = self.rnn(x)
            ends = torch.full((len(x),), x.shape[1])
        else:
            ends = lengths(padding)
            packed, _ = self.rnn(nn.utils.rnn.pack_padded_sequence(x, ends, batch_first=True, enforce_sorted=False))
            answers, _ = nn.utils.rnn.pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])
        if self.output == "sequence":
            return answers
        Padding.now = None
        # What the way there knows at the last position, and the way back at the first.
        there = answers[torch.arange(len(x)), ends - 1]
        if not self.rnn.bidirectional:
            return there
        half = answers.shape[2] // 2
        return torch.cat([there[:, :half], answers[:, 0, half:]], 1)


def later(x, causal):
    return torch.ones(x.shape[1], x.shape[1]).triu(1).bool() if causal else None


class MultiheadAttention(nn.MultiheadAttention):
    def __init__(self, *args, causal=False, **kwargs):
        super().__init__(*args, batch_first=True, **kwargs)
        self.causal = causal

    def forward(self, x):
        return super().forward(x, x, x, key_padding_mask=Padding.of(x), attn_mask=later(x, self.causal), need_weights=False)[0].contiguous()


class TransformerEncoderLayer(nn.TransformerEncoderLayer):
    def __init__(self, *args, causal=False, **kwargs):
        super().__init__(*args, batch_first=True, **kwargs)
        self.causal = causal

    def forward(self, x):
        return super().forward(x, later(x, self.causal), Padding.of(x))


class TransformerEncoder(nn.TransformerEncoder):
    def __init__(self, features, num_layers, causal=False, norm=False, **given):
        if num_layers < 1:
            raise ValueError("no layers")
        layer = nn.TransformerEncoderLayer(features, batch_first=True, **given)
        last = nn.LayerNorm(features, given.get("layer_norm_eps", 1e-5), bias=given.get("bias", True)) if norm else None
        super().__init__(layer, num_layers, norm=last, enable_nested_tensor=False)
        self.causal = causal

    def forward(self, x):
        return super().forward(x, later(x, self.causal), Padding.of(x))


class PatchEmbedding(nn.Module):
    def __init__(self, channels, embedding_dim, patch_size, bias=True):
        super().__init__()
        self.proj = nn.Conv2d(channels, embedding_dim, patch_size, stride=patch_size, bias=bias)

    def forward(self, x):
        if any(size % patch for size, patch in zip(x.shape[2:], self.proj.kernel_size)):
            raise ValueError("patches must divide the image")
        patches = self.proj(x)
        return torch.stack([patches[:, :, row, column] for row in range(patches.shape[2]) for column in range(patches.shape[3])], 1)


class ClassToken(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1, features))

    def forward(self, x):
        padding = Padding.of(x)
        if padding is not None:
            Padding.now = torch.cat([torch.zeros(len(x), 1, dtype=torch.bool), padding], 1)
        return torch.cat([self.weight.repeat(len(x), 1, 1), x], 1)


class PositionalEmbedding(nn.Module):
    def __init__(self, length, features, std=0.02):
        super().__init__()
        self.weight = nn.Parameter(nn.init.normal_(torch.empty(1, length, features), std=std))

    def forward(self, x):
        return x + self.weight


class SinusoidalEncoding(nn.Module):
    """As in "Attention Is All You Need": sin(position / base^(2i / features)), and cosines beside the sines."""

    def __init__(self, length, features, base=10000):
        super().__init__()
        if base <= 0:
            raise ValueError("no powers between whole ones")
        self.waves = [
            [(math.cos if at % 2 else math.sin)(position / base ** ((at - at % 2) / features)) for at in range(features)]
            for position in range(length)
        ]

    def forward(self, x):
        return x + torch.tensor(self.waves, dtype=x.dtype)


class TakePosition(nn.Module):
    def __init__(self, position=0):
        super().__init__()
        self.position = position

    def forward(self, x):
        padding, Padding.now = Padding.of(x), None
        if not -x.shape[1] <= self.position < x.shape[1]:
            raise ValueError("no such position")
        if padding is None or self.position >= 0:
            return x[:, self.position]
        return torch.stack([sample[max(0, end + self.position)] for sample, end in zip(x, lengths(padding).tolist())])


class MeanOverSequence(nn.Module):
    def forward(self, x):
        padding, Padding.now = Padding.of(x), None
        if padding is None:
            return x.mean(1)
        return torch.stack([sample[~padded].mean(0) for sample, padded in zip(x, padding)])


def of_sequence(made):
    """For what arrives as [length, features]; PyTorch would take fewer dimensions for a single sample, more for something else."""

    def build(given, x):
        if x.dim() != 3:
            raise ValueError(f"no sequence: {tuple(x.shape)}")
        return made(given, x)

    return build


def of_positions(kind):
    def build(given, x):
        if x.dim() < 3:
            raise ValueError(f"no positions: {tuple(x.shape)}")
        return kind(**given)

    return build


def patches(given, x):
    if x.dim() != 4:
        raise ValueError(f"no image: {tuple(x.shape)}")
    return PatchEmbedding(x.shape[1], **given)


SEQUENCE_BUILDERS = {
    "Embedding": lambda given, x: Embedding(**given),
    **{kind: of_sequence(lambda given, x, kind=kind: Recurrent(kind, x, given)) for kind in ("RNN", "LSTM", "GRU")},
    **{
        kind.__name__: of_sequence(lambda given, x, kind=kind: kind(x.shape[-1], **given))
        for kind in (MultiheadAttention, TransformerEncoderLayer, TransformerEncoder)
    },
    "PatchEmbedding": patches,
    "ClassToken": of_sequence(lambda given, x: ClassToken(x.shape[-1])),
    **{
        kind.__name__: of_sequence(lambda given, x, kind=kind: kind(x.shape[1], x.shape[2], **given))
        for kind in (PositionalEmbedding, SinusoidalEncoding)
    },
    "TakePosition": of_positions(TakePosition),
    "MeanOverSequence": of_positions(MeanOverSequence),
}
