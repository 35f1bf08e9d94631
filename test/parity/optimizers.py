"""Trains a small network with torch.optim, one step after the other, from given weights and batches, by the project file's rules for
parameter groups. Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import os
import sys

import numpy as np
import torch
from model import build_list
from safetensors.torch import load_file, save_file
from torch import nn


def rules(layers, blocks, prefix="", found=None):
    """What each enabled layer says of its own training, by the prefix of its tensors' names."""
    found = {} if found is None else found
    for index, layer in enumerate(layer for layer in layers if not layer.get("disabled")):
        path = f"{prefix}{index}."
        found[path] = layer.get("train") or {}
        kind = layer["kind"]
        lists = {}
        if kind == "Residual":
            lists = {"layers.": layer["layers"], "shortcut.": layer.get("shortcut")}
        elif kind == "Parallel":
            lists = {f"branches.{number}.": branch for number, branch in enumerate(layer["branches"])}
        elif kind == "Repeat":
            lists = {f"{number}.": layer["layers"] for number in range(layer["times"])}
        elif kind == "Block":
            lists = {"layers.": blocks[layer["ref"]]["layers"]}
        for inner, children in lists.items():
            if isinstance(children, list):
                rules(children, blocks, path + inner, found)
    return found


def rule_of(name, found):
    """The innermost layer that says something decides, for each setting by itself."""
    rule = {}
    for path in sorted((path for path in found if name.startswith(path)), key=len):
        rule.update({key: value for key, value in found[path].items() if value is not None})
    return rule


def optimizers(model, training, layers, blocks):
    """The optimizer of the project, and AdamW beside Muon; each parameter is a group of its own."""
    settings = {key: tuple(value) if isinstance(value, list) else value for key, value in training["optimizer"].items()}
    kind = settings.pop("kind")
    aside = {key.removeprefix("adamw_"): settings.pop(key) for key in list(settings) if key.startswith("adamw_")}
    aside = {"lr": 3e-4, "betas": (0.9, 0.95), "eps": 1e-10, "weight_decay": 0, **aside}
    found = rules(layers, blocks)
    main, others = [], []
    for name, parameter in model.named_parameters():
        rule = rule_of(name, found)
        if rule.get("freeze"):
            parameter.requires_grad_(False)
            continue
        group = {"params": [parameter]}
        group.update({key: rule[key] for key in ("lr", "weight_decay") if key in rule})
        if kind == "Rprop":
            group.pop("weight_decay", None)
        elif training.get("decay_norms_and_biases") is False and parameter.dim() == 1:
            group["weight_decay"] = 0
        (others if kind == "Muon" and parameter.dim() != 2 else main).append(group)
    made = [getattr(torch.optim, kind)(main, **settings)] if main else []
    # Muon rounds to bfloat16, so that the last bit of a bias decides about the third digit of a matrix's next step: the same kernel, then.
    return made + ([torch.optim.AdamW(others, fused=True, **aside)] if others else [])


def train(request):
    torch.set_num_threads(1)
    folder, layers, blocks = request["folder"], request["layers"], request["blocks"]
    read = lambda name, shape: torch.from_numpy(np.fromfile(os.path.join(folder, name), np.float32)).view(-1, *shape)
    x, y = read("input", request["input"]), read("target", request["output"])
    model = build_list(layers, torch.zeros(2, *request["input"]), blocks)[0]
    model.load_state_dict(load_file(os.path.join(folder, "before", "model.safetensors")), strict=True)
    # The engine's layout, so that gradients come from the same kernels and only the optimizer is compared.
    model.to(memory_format=torch.channels_last)
    made = optimizers(model, request["training"], layers, blocks)
    bases = [[group["lr"] for group in optimizer.param_groups] for optimizer in made]
    batches = list(zip(x.split(request["batch_size"]), y.split(request["batch_size"])))
    for step in range(request["steps"]):
        inputs, targets = batches[step % len(batches)]
        values = request["values"][step]
        for optimizer, base in zip(made, bases):
            for group, lr in zip(optimizer.param_groups, base):
                group["lr"] = lr * values.get("factor", 1)
                if "momentum" in values and "betas" in group:
                    group["betas"] = (values["momentum"], group["betas"][1])
                elif "momentum" in values:
                    group["momentum"] = values["momentum"]
            optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        for optimizer in made:
            optimizer.step()
    names = {parameter: name for name, parameter in model.named_parameters()}
    state = {
        f"{names[parameter]}.{key}": value.contiguous()
        for optimizer in made
        for parameter, entries in optimizer.state.items()
        for key, value in entries.items()
        if value is not None
    }
    here = {file: load_file(os.path.join(folder, "after", f"{file}.safetensors")) for file in ("model", "optimizer")}
    differences = compare(here["model"], model.state_dict())
    differences.update(compare(here["optimizer"], state))
    # How far the weights came, so that nobody compares what hardly moved.
    before = load_file(os.path.join(folder, "before", "model.safetensors"))
    moved = {name: (before[name] - value).abs().max().item() for name, value in model.named_parameters()}
    return {"differences": differences, "moved": moved}


def compare(a, b):
    """max|a-b| / max|b| of every tensor."""
    assert set(a) == set(b), set(a) ^ set(b)
    assert all(a[name].shape == b[name].shape for name in b), {name: (a[name].shape, b[name].shape) for name in b}
    return {
        name: ((a[name].double() - b[name].double()).abs().max() / b[name].double().abs().max().clamp_min(1e-30)).item()
        for name in b
    }


for line in sys.stdin:
    print(json.dumps(train(json.loads(line))), flush=True)
