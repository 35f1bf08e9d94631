"""PyTorch's side of the export tests: loads what we wrote into the equivalent Sequential, and writes what we read."""

import json
import os
import sys

import numpy
import torch
from safetensors.torch import load_file
from torch import nn

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from model import build_list  # noqa: E402


class Residual(nn.Module):
    def __init__(self, layers, shortcut):
        super().__init__()
        self.layers = nn.Sequential(*layers)
        self.shortcut = nn.Sequential(*shortcut)

    def forward(self, x):
        return self.layers(x) + self.shortcut(x)


def network():
    torch.manual_seed(7)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        Residual([nn.Conv2d(4, 4, 3, padding=1)], []),
        nn.Flatten(),
        nn.Linear(4 * 6 * 6, 5),
    )


def state(file):
    return load_file(file) if file.endswith(".safetensors") else torch.load(file, weights_only=True)


def load(request):
    """Loads each file strictly and answers whether every tensor and the logits equal those of the reference file, bit for bit."""
    model = network()
    model.load_state_dict(state(request["reference"]), strict=True)
    model.eval()
    batch = torch.randn(3, 1, 6, 6)
    expected = model(batch)
    answers = []
    for file in request["files"]:
        other = network()
        tensors = state(file)
        other.load_state_dict(tensors, strict=True)
        other.eval()
        same = all(torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(tensors.values(), [model.state_dict()[k] for k in tensors]))
        answers.append({"tensors": same, "logits": torch.equal(other(batch), expected), "names": list(tensors)})
    if request.get("mmap"):
        mapped = torch.load(request["mmap"], weights_only=True, mmap=True)
        answers.append({"tensors": all(torch.equal(mapped[k], v) for k, v in model.state_dict().items())})
    return answers


def write(request):
    """Writes .pt files in the ways people do, and what must be found in them as raw bytes."""
    folder = request["folder"]
    model = network()
    weights = model.state_dict()
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    strided = {"transposed": base.t(), "slice": base[1:3, ::2], "expanded": base[0, 0].expand(2, 3), "row": base[2], "empty": base[:0]}
    types = {str(t): torch.tensor([[1, 0, 1], [0, 1, 1]]).to(t) for t in request_types}
    tied = nn.Module()
    tied.a = nn.Linear(3, 3)
    tied.b = nn.Linear(3, 3)
    tied.b.weight = tied.a.weight
    files = {
        "plain": (weights, weights),
        "strided": (strided, strided),
        "types": (types, types),
        "tied": (tied.state_dict(), tied.state_dict()),
        "parameters": (dict(model.named_parameters()), dict(model.named_parameters())),
        "parallel": ({f"module.{k}": v for k, v in weights.items()}, weights),
        "checkpoint": (
            {"epoch": 3, "state_dict": weights, "optimizer": torch.optim.Adam(model.parameters()).state_dict(), "args": ("a", 1.5, None, True, 2**40)},
            weights,
        ),
    }
    answer = {}
    for name, (saved, expected) in files.items():
        path = f"{folder}/{name}.pt"
        torch.save(saved, path)
        answer[name] = {
            "file": path,
            "tensors": {k: [list(v.shape), bytes(v.detach().contiguous().view(torch.uint8).numpy()).hex() if v.dim() else bytes(v.reshape(1).view(torch.uint8).numpy()).hex()] for k, v in expected.items()},
        }
    torch.save(weights, f"{folder}/protocol4.pt", pickle_protocol=4)
    answer["protocol4"] = {**answer["plain"], "file": f"{folder}/protocol4.pt"}
    torch.save(weights, f"{folder}/old.pt", _use_new_zipfile_serialization=False)
    torch.save(model, f"{folder}/module.pt")
    return answer


def answers(request):
    """Logits of exported files on the samples of a run's validation split, computed by the Sequential that its project describes."""
    project = json.load(open(f"{request['run']}/project.json"))
    source = project["data"]["source"]
    generator = torch.Generator().manual_seed(source["seed"])
    samples = torch.randn(source["samples"], *source["shape"], generator=generator)
    indices = numpy.fromfile(f"{request['run']}/split/val.i64", dtype="<i8")
    batch = samples[torch.from_numpy(indices)]
    model, _ = build_list(project["model"]["layers"], batch[:2], {})
    logits = []
    for file in request["files"]:
        model.load_state_dict(state(file), strict=True)
        logits.append(model.eval()(batch).tolist())
    return logits


request_types = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]

request = json.load(sys.stdin)
with torch.no_grad():
    print(json.dumps({"load": load, "write": write, "answers": answers}[request["do"]](request)))
