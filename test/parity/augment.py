"""Random flips and crops with torchvision, sample by sample after torch.manual_seed by the published rule.

Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import sys

import torch
from mixing import stream_seed
from safetensors.torch import load_file
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F


def random_one(kind, args):
    if kind == "Normalize":
        return v2.Normalize(args["mean"], args["std"])
    if kind == "RandomCrop":
        return v2.RandomCrop(args["size"], padding=args["padding"], fill=args["fill"], padding_mode=args["padding_mode"])
    return getattr(v2, kind)(p=args["p"])


def still(x, kind, args):
    """What evaluation sees."""
    if kind == "RandomCrop":
        x = F.pad(x, args["padding"], fill=args["fill"], padding_mode=args["padding_mode"])
        return F.center_crop(x, args["size"])
    return random_one(kind, args)(x) if kind == "Normalize" else x


for line in sys.stdin:
    request = json.loads(line)
    shape, n = request["shape"], request["samples"]
    with open(request["input"], "rb") as file:
        data = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8 if request["dtype"] == "uint8" else torch.float32)
    x = data.view(n, *shape)
    x = x.float() / 255 if request["dtype"] == "uint8" else x
    compose = v2.Compose([random_one(t["kind"], t["args"]) for t in request["transforms"]])
    found = load_file(request["batches"])
    wrong = []
    for epoch in range(request["epochs"]):
        order = torch.randperm(n, generator=torch.Generator().manual_seed(request["seed"] + epoch)).tolist()
        samples = []
        for i in order:
            torch.manual_seed(stream_seed(request["seed"], 2, epoch, i))
            samples.append(compose(x[i]))
        for index, there in enumerate(torch.stack(samples).split(request["batch_size"])):
            if not torch.equal(found[f"{epoch}.{index}.input"], there):
                wrong.append(f"{epoch}.{index}")
    fixed = x
    for t in request["transforms"]:
        fixed = still(fixed, t["kind"], t["args"])
    for index, there in enumerate(fixed.split(request["batch_size"])):
        if not torch.equal(found[f"train.{index}.input"], there):
            wrong.append(f"evaluation {index}")
    print(json.dumps({"wrong": wrong}), flush=True)
