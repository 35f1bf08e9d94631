"""Transforms with torchvision, sample by sample after torch.manual_seed by the published rule.

Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import sys

import torch
from mixing import stream_seed
from safetensors.torch import load_file
from torchvision import tv_tensors
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional as F

FIXED = {"Normalize", "Resize", "CenterCrop", "Grayscale"}


def random_one(kind, args):
    args = dict(args)
    if kind == "Normalize":
        return v2.Normalize(args["mean"], args["std"])
    if kind == "RandomErasing" and args["value"] != "random":
        args["value"] = args["value"][0] if len(args["value"]) == 1 else args["value"]
    return getattr(v2, kind)(**args)


def still(x, mask, kind, args):
    """What evaluation sees."""
    if kind == "RandomCrop":
        x = F.pad(x, args["padding"], fill=args["fill"], padding_mode=args["padding_mode"])
        mask = mask_pad(mask, args)
        return F.center_crop(x, args["size"]), None if mask is None else F.center_crop(mask, args["size"])
    if kind == "RandomResizedCrop":
        size = [round(max(args["size"]) * 256 / 224)]
        x = F.resize(x, size, interpolation=v2.InterpolationMode(args["interpolation"]), antialias=args["antialias"])
        return F.center_crop(x, args["size"]), None if mask is None else F.center_crop(F.resize(mask, size), args["size"])
    if kind not in FIXED:
        return x, mask
    one = random_one(kind, args)
    return (one(x), None) if mask is None else one(tv_tensors.Image(x), mask)


def mask_pad(mask, args):
    return None if mask is None else F.pad(mask, args["padding"], fill=0, padding_mode=args["padding_mode"])


def main():
    for line in sys.stdin:
        request = json.loads(line)
        shape, n = request["shape"], request["samples"]
        with open(request["input"], "rb") as file:
            data = torch.frombuffer(
                bytearray(file.read()), dtype=torch.uint8 if request["dtype"] == "uint8" else torch.float32
            )
        x = data.view(n, *shape)
        x = x.float() / 255 if request["dtype"] == "uint8" else x
        masks = None
        if "masks" in request:
            with open(request["masks"], "rb") as file:
                masks = torch.frombuffer(bytearray(file.read()), dtype=torch.uint8).view(n, *shape[1:]).long()
        ones = [random_one(t["kind"], t["args"]) for t in request["transforms"]]
        compose = v2.Compose(ones)
        found = load_file(request["batches"])
        wrong, differences = [], []

        def compare(name, there):
            here = found[name]
            if here.shape != there.shape:
                wrong.append(f"{name} has {list(here.shape)} for {list(there.shape)}")
            elif not torch.equal(here, there):
                wrong.append(name)
                differences.append((here.double() - there.double()).abs().flatten())
            else:
                differences.append(torch.zeros(here.numel(), dtype=torch.float64))

        for epoch in range(request["epochs"]):
            order = torch.randperm(n, generator=torch.Generator().manual_seed(request["seed"] + epoch)).tolist()
            samples, goals = [], []
            for i in order:
                torch.manual_seed(stream_seed(request["seed"], 2, epoch, i))
                if masks is None:
                    samples.append(compose(x[i]))
                else:
                    image, mask = compose(tv_tensors.Image(x[i]), tv_tensors.Mask(masks[i]))
                    samples.append(image.as_subclass(torch.Tensor))
                    goals.append(mask.as_subclass(torch.Tensor))
            for index, there in enumerate(torch.stack(samples).split(request["batch_size"])):
                compare(f"{epoch}.{index}.input", there)
            if goals:
                for index, there in enumerate(torch.stack(goals).split(request["batch_size"])):
                    compare(f"{epoch}.{index}.target", there)
        fixed, fixed_masks = x, masks
        for t in request["transforms"]:
            mask = None if fixed_masks is None else tv_tensors.Mask(fixed_masks)
            fixed, moved = still(fixed, mask, t["kind"], t["args"])
            fixed_masks = None if moved is None else moved.as_subclass(torch.Tensor)
        for index, there in enumerate(fixed.as_subclass(torch.Tensor).split(request["batch_size"])):
            compare(f"train.{index}.input", there)
        if fixed_masks is not None:
            for index, there in enumerate(fixed_masks.split(request["batch_size"])):
                compare(f"train.{index}.target", there)
        all_of = torch.cat(differences) if differences else torch.zeros(1)
        worst = float(all_of.max())
        print(json.dumps({"wrong": wrong, "worst": worst, "off": float((all_of > 1 / 255).double().mean())}), flush=True)


main()
