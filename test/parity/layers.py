"""Networks that the engine built and trained for a few steps, built and trained again in real PyTorch from the project's layers.

Standard input: a JSON list of {folder, input, output, classes, layers, blocks, seed, optimizer, loss, losses}; last line of output: a list of differences.
"""
import json
import os
import sys

import numpy as np
import torch
from model import build_list
from safetensors.torch import load_file
from torch import nn


def difference(ours, theirs):
    """max|a - b| by the largest of b, or by 0.01 where b is all but zero (gradients that cancel are noise); NaN never passes."""
    if ours.shape != theirs.shape:
        return float("inf")
    if ours.numel() == 0 or torch.equal(ours, theirs):
        return 0.0
    ours, theirs = ours.double(), theirs.double()
    return ((ours - theirs).abs().max() / theirs.abs().max().clamp(min=1e-2)).item()


def read(folder, column, shape, dtype="<f4"):
    return torch.from_numpy(np.fromfile(os.path.join(folder, column), dtype=dtype).reshape(-1, *shape))


def loss_of(kind, args):
    if isinstance(args.get("weight"), list):
        args = {**args, "weight": torch.tensor(args["weight"])}
    return getattr(nn, kind)(**args)


def examine(case):
    folder = case["folder"]
    x = read(folder, "input", case["input"])
    y = read(folder, "target", case["output"]) if case["classes"] is None else read(folder, "target", [], "<i8")
    torch.manual_seed(case["seed"])
    model, _ = build_list(case["layers"], x, case["blocks"])
    before, after = (load_file(os.path.join(folder, state, "model.safetensors")) for state in ("before", "after"))
    theirs = model.state_dict()
    same_names = sorted(before) == sorted(theirs) == sorted(after)
    initial = same_names and all(torch.equal(before[name], theirs[name]) for name in theirs)

    model.eval()
    with torch.no_grad():
        answers = difference(read(folder, "answers", case["output"]), model(x))
    model.train()
    optimizer = getattr(torch.optim, case["optimizer"]["kind"])(model.parameters(), **case["optimizer"]["args"])
    measure = loss_of(**case["loss"])
    losses = []
    for _ in case["losses"]:
        optimizer.zero_grad()
        loss = measure(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    trained = max((difference(after[name], tensor) for name, tensor in model.state_dict().items()), default=0.0) if same_names else float("inf")
    return {"initial": initial, "answers": answers, "losses": difference(torch.tensor(case["losses"]), torch.tensor(losses)), "trained": trained}


torch.set_num_threads(1)
print(json.dumps([examine(case) for case in json.load(sys.stdin)]))
