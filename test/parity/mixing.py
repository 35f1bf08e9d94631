"""Mixed batches with torchvision: from a batch as the loader gives it to the loss, the gradients and the accuracy of one step.

Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import sys

import torch
from safetensors.torch import load_file
from torch.nn import functional as F
from torchvision.transforms import v2

MASK = (1 << 64) - 1


def splitmix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def stream_seed(seed, stream, epoch, index):
    return splitmix64(splitmix64(splitmix64(splitmix64(seed) ^ stream) ^ epoch) ^ index)


def mix(request, batch, epoch, index):
    """The engine mixes vectors too, which torchvision takes as images of one row."""
    x, y = batch["input"], batch["target"]
    kinds = []
    if request["mixup"]:
        kinds.append(v2.MixUp(alpha=float(request["mixup"]["alpha"]), num_classes=request["classes"]))
    if request["cutmix"]:
        kinds.append(v2.CutMix(alpha=float(request["cutmix"]["alpha"]), num_classes=request["classes"]))
    torch.manual_seed(stream_seed(request["seed"], 1, epoch, index))
    images = x if x.dim() == 4 else x.reshape(len(x), 1, 1, -1)
    images, y = (kinds[0] if len(kinds) == 1 else v2.RandomChoice(kinds))(images, y)
    return images.reshape(x.shape), y


def batches(request):
    equal = []
    for case in request["batches"]:
        x, y = mix(request, load_file(case["plain"]), case["epoch"], case["batch"])
        found = load_file(case["mixed"])
        equal.append(torch.equal(found["input"], x) and torch.equal(found["target"], y))
    return {"equal": equal}


def step(request):
    """One step of SGD with lr 1 on Flatten and Linear, over one large batch of all given ones."""
    weights = load_file(request["before"])
    w, b = (weights[name].requires_grad_() for name in ("1.weight", "1.bias"))
    mixed = [mix(request, load_file(case["plain"]), case["epoch"], case["batch"]) for case in request["batches"]]
    x, y = (torch.cat(parts) for parts in zip(*mixed))
    logits = x.flatten(1) @ w.T + b
    weight = torch.tensor(request["weight"]) if request["weight"] else None
    loss = F.cross_entropy(logits, y, weight=weight, label_smoothing=request["label_smoothing"])
    loss.backward()
    after = load_file(request["after"])
    far = [
        ((after[name] - (p - p.grad).detach()).abs().max() / p.grad.abs().max()).item()
        for name, p in (("1.weight", w), ("1.bias", b))
    ]
    # As torchvision's reference training counts: against the class with the larger share.
    accuracy = (logits.argmax(1) == y.max(dim=1)[1]).float().mean().item()
    return {"loss": loss.item(), "accuracy": accuracy, "far": max(far)}


if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"batches": batches, "step": step}[request["do"]](request)), flush=True)
