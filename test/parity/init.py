"""Initial weights with real PyTorch, by the project file's rule: the Sequential is built whole, then torch.nn.init is called for the layers in order.

Standard input: a JSON request a line; standard output: an answer a line.
"""
import json
import sys

import torch
from model import Block, Parallel, Residual, build_list
from safetensors.torch import load_file, save_file
from torch import nn


def plain(layers):
    """Layers without `train`, which the network's builder does not know."""
    if isinstance(layers, list):
        return [plain(layer) for layer in layers]
    if not isinstance(layers, dict):
        return layers
    return {key: plain(value) for key, value in layers.items() if key != "train"}


def fill(tensor, spec):
    spec = {"kind": spec} if isinstance(spec, str) else spec
    if spec is None or spec["kind"] == "default":
        return
    args = {key: value for key, value in spec.items() if key not in ("kind", "bias")}
    getattr(nn.init, spec["kind"] + "_")(tensor, **args)


def initialise(layers, modules, blocks, around=None):
    modules = list(modules)
    for layer, module in zip([layer for layer in layers if not layer.get("disabled")], modules, strict=True):
        own = (layer.get("train") or {}).get("init")
        if isinstance(own, str):
            own = {"kind": own}
        init = own or around
        if isinstance(module, Residual):
            initialise(layer["layers"], module.layers, blocks, init)
            shortcut = layer.get("shortcut")
            # "auto" stands for one layer, which has nothing to say of its own.
            initialise(shortcut if isinstance(shortcut, list) else [{}] * len(module.shortcut), module.shortcut, blocks, init)
        elif isinstance(module, Parallel):
            for branch, inside in zip(layer["branches"], module.branches, strict=True):
                initialise(branch, inside, blocks, init)
        elif isinstance(module, Block):
            initialise(blocks[layer["ref"]]["layers"], module.layers, blocks, init)
        elif isinstance(module, nn.Sequential):
            for repetition in module:
                initialise(layer["layers"], repetition, blocks, init)
        elif init is not None and hasattr(module, "weight"):
            if own is None and module.weight.dim() < 2:
                continue
            fill(module.weight, init)
            if module.bias is not None:
                fill(module.bias, init.get("bias"))


for line in sys.stdin:
    request = json.loads(line)
    torch.manual_seed(request["seed"])
    blocks = request.get("blocks", {})
    model = build_list(plain(request["layers"]), torch.zeros(2, *request["input"]), plain(blocks))[0]
    initialise(request["layers"], model, blocks)
    # What the generator says next: dropout goes on from here.
    following = torch.rand(4).tolist()
    found = load_file(request["weights"])
    there = model.state_dict()
    assert set(found) == set(there), set(found) ^ set(there)
    worst = {
        name: ((found[name].double() - there[name].double()).abs().max() / there[name].double().abs().max().clamp_min(1e-30)).item()
        for name in there
    }
    state = load_file(request["rng"])["cpu"]
    torch.set_rng_state(state)
    print(json.dumps({"worst": worst, "following": torch.rand(4).tolist() == following}), flush=True)
