"""Losses of real PyTorch on the same weights and samples: values, gradients, and the gradient of all samples as one batch.

Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import sys

import numpy as np
import torch
from model import build_list
from safetensors.torch import load_file, save_file
from torch import nn


def read_column(column, count):
    kind = {"float32": np.float32, "int64": np.int64}[column["dtype"]]
    values = np.fromfile(column["path"], dtype=kind)
    return torch.from_numpy(values).view(count, *column["shape"])


def build_loss(spec):
    given = {key: value for key, value in spec.items() if key != "kind"}
    for key in ("weight", "pos_weight"):
        if given.get(key) is not None:
            given[key] = torch.tensor(given[key])
    loss = getattr(nn, spec["kind"])(**given)
    if spec["kind"] == "GaussianNLLLoss":
        # The published rule: first the means, then the logarithms of the variances.
        return lambda output, target: loss(*(lambda mean, log: (mean, target, log.exp()))(*output.chunk(2, dim=1)))
    return loss


def arrange(output, target, kind):
    """As somebody who writes PyTorch by hand would hand them to the loss."""
    if kind == "next_token":
        return output.flatten(0, 1), target.flatten()
    if not target.is_floating_point() and output.dim() == target.dim() + 1 and output.shape[1] == 1:
        return output.squeeze(1), target.float()
    return output, target


def gradients(module, loss, x, y, kind):
    module.zero_grad()
    value = loss(*arrange(module(x), y, kind))
    value.backward()
    return value.item(), {name: parameter.grad.clone() for name, parameter in module.named_parameters()}


def drawn(request):
    """How many values of a random source's columns are not those of the published rule."""
    shape, classes, samples, kind = (request[key] for key in ("shape", "classes", "samples", "kind"))
    generator = torch.Generator().manual_seed(request["seed"])
    if kind == "next_token":
        tokens = torch.randint(classes, (samples, *shape[:-1], shape[-1] + 1), generator=generator)
        x, y = tokens[..., :-1], tokens[..., 1:]
    else:
        x = torch.randn(samples, *shape, generator=generator)
        if kind == "multi_label":
            y = torch.randint(2, (samples, classes), generator=generator).float()
        elif kind == "mask":
            y = torch.randint(classes, (samples, *shape[1:]), generator=generator)
        else:
            y = torch.randint(classes, (samples,), generator=generator)
    found = [read_column(request[name], samples) for name in ("input", "target")]
    return [int((mine.reshape(-1) != theirs.reshape(-1)).sum()) + abs(mine.numel() - theirs.numel()) for mine, theirs in zip(found, (x, y))]


def run(request):
    if request.get("do") == "draw":
        return drawn(request)
    torch.set_num_threads(1)
    x = read_column(request["input"], request["count"])
    y = read_column(request["target"], request["count"])
    module, _ = build_list(request["layers"], x[:1], {})
    module.load_state_dict(load_file(request["weights"]))
    loss = build_loss(request["loss"])
    first = slice(0, request["batch_size"])
    kind = request["kind"]
    answer = {}
    for name, part in (("batch", first), ("all", slice(0, request["count"]))):
        value, found = gradients(module, loss, x[part], y[part], kind)
        before = load_file(request["weights"])
        after = load_file(request[name])
        worst = 0.0
        for key, gradient in found.items():
            mine = before[key].double() - after[key].double()
            scale = gradient.abs().max().item()
            # The weights are float32: what a step changes is known to their last digit only.
            grain = before[key].abs().max().item() * 2**-24
            off = (mine - gradient.double()).abs().max().item()
            worst = max(worst, max(0.0, off - 2 * grain) / scale if scale > 0 else off)
        answer[name] = {"loss": value, "gradient": worst}
    return answer


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
