"""How far the addon is, on padded sequences, from real PyTorch on each of them alone, cut where its padding begins.

Standard input: a list of questions (`Question` of layers-run.ts); standard output: how far answers and gradients are, a list.
"""
import json
import os
import sys

import torch
from kinds_sequence import Embedding, Padding
from layers import far, filled, read
from model import answer, build
from safetensors.torch import load_file
from torch import nn


def compare(question):
    ran = question["ran"]
    tokens = read(ran["folder"], "input", question["input"], "<i8")
    before, after = (load_file(os.path.join(ran["folder"], state, "model.safetensors")) for state in ("before", "after"))
    modules, arriving = [], tokens
    Padding.now = None
    for layer in question["layers"]:
        modules.append(build(layer, arriving, question["blocks"]))
        arriving = answer(modules[-1], arriving)
    model = nn.Sequential(*modules)
    model.load_state_dict(before)
    for module in model.modules():
        if isinstance(module, Embedding):
            module.mask_padding = False
    Padding.now = None
    y = torch.cat([model.eval()(sample[: int((sample != 0).sum())][None]) for sample in tokens])
    ours = read(ran["folder"], "answers", ran["output"])
    nn.functional.mse_loss(y, read(ran["folder"], "target", ran["output"])).backward()
    gradients = {name: filled(parameter) for name, parameter in model.named_parameters()}
    distances = [far((before[name].double() - after[name].double()) / ran["lr"], gradient) for name, gradient in gradients.items()]
    return {"answers": far(ours, y.detach()), "gradients": max(distances)}


torch.backends.mha.set_fastpath_enabled(False)
print(json.dumps([compare(question) for question in json.load(sys.stdin)]))
