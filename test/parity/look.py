"""What forward hooks see of every module of a project's network, on one sample: with its initial weights, and with moved ones."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from model import build_list


def moved(model, sample):
    """As if it had been trained: no value as at initialisation, running statistics of some data."""
    several = torch.cat([sample] * 3)
    if several.is_floating_point():
        several = several + torch.randn_like(several) * 0.1
    model.train()
    with torch.no_grad():
        model(several)
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)


def outputs(model, sample, folder):
    """Writes each module's output by its name; answers the shapes of one sample."""
    shapes = {}

    def hook(name):
        def write(_module, _inputs, output):
            if torch.is_tensor(output):
                output.float().contiguous().numpy().tofile(folder / f"{name}.bin")
                shapes[name] = list(output.shape[1:])

        return write

    handles = [module.register_forward_hook(hook(name)) for name, module in model.named_modules() if name]
    model.eval()
    with torch.no_grad():
        model(sample)
    for handle in handles:
        handle.remove()
    return shapes


def main():
    request = json.load(sys.stdin)
    torch.set_num_threads(2)
    folder = Path(request["folder"])
    sample = torch.from_numpy(np.fromfile(folder / "input.bin", np.float32).reshape(1, *request["shape"]))
    if request["dtype"] == "int64":
        sample = sample.long()
    torch.manual_seed(request["seed"])
    # Two, since some of PyTorch's layers tell a batch of one apart while the network is built.
    model, _ = build_list(request["layers"], torch.cat([sample, sample]), request["blocks"])
    told = {}
    for state in ["initial", "moved"]:
        if state == "moved":
            moved(model, sample)
        torch.save(model.state_dict(), folder / f"{state}.pt")
        (folder / state).mkdir()
        told[state] = outputs(model, sample, folder / state)
    print(json.dumps(told))


main()
