"""torchvision's networks on the inputs of a template: their state_dicts, numbers of parameters and logits."""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from torchvision import models

MODELS = {
    "resnet18": models.resnet18,
    "vgg11": models.vgg11,
    "mobilenet_v2": models.mobilenet_v2,
    "vit": models.VisionTransformer,
}


def inputs_of(given):
    """The first samples of a pack's column, normalised; grey ones in three channels."""
    kind = np.uint8 if given["dtype"] == "uint8" else np.float32
    shape = [given["count"], *given["shape"]]
    values = np.fromfile(given["path"], kind, count=int(np.prod(shape))).reshape(shape)
    inputs = torch.from_numpy(values.astype(np.float32))
    if given["dtype"] == "uint8":
        inputs = inputs / 255
    for mean, std in given["normalize"]:
        inputs = (inputs - mean) / std
    return inputs if inputs.shape[1] == 3 else inputs.expand(-1, 3, -1, -1)


def moved(model, inputs):
    """As if it had been trained: no value as at initialisation, running statistics of some data."""
    model.train()
    with torch.no_grad():
        model(inputs)
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)


def answer(model, inputs, folder, name):
    """Writes the state_dict and the logits in evaluation."""
    torch.save(model.state_dict(), folder / f"{name}.pt")
    model.eval()
    with torch.no_grad():
        model(inputs).numpy().tofile(folder / f"{name}.logits")


def main():
    request = json.load(sys.stdin)
    torch.manual_seed(0)
    torch.set_num_threads(2)
    folder = Path(request["folder"])
    model = MODELS[request["model"]](**request["arguments"])
    inputs = inputs_of(request["inputs"])
    answer(model, inputs, folder, "initial")
    moved(model, inputs)
    answer(model, inputs, folder, "moved")
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(json.dumps({"parameters": parameters, "tensors": len(model.state_dict())}))


main()
