"""What both Python opponents share: the two networks, the digits, and the line they report."""
import gzip
import json
import os
import sys

import torch
from torch import nn


def settings():
    """Template, data folder and epochs from the command line."""
    name, data, epochs = sys.argv[1:4]
    return name, data, int(epochs)


def build(name):
    if name == "digits-mlp":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 10),
    )  # fmt: skip


def parts(data):
    """(images, labels) as bytes of the training and the test part."""

    def read(stem, header):
        with gzip.open(os.path.join(data, stem), "rb") as file:
            return torch.frombuffer(bytearray(file.read()[header:]), dtype=torch.uint8)

    return [
        (read(part + "-images-idx3-ubyte.gz", 16).view(-1, 28, 28), read(part + "-labels-idx1-ubyte.gz", 8).long())
        for part in ("train", "t10k")
    ]


def report(samples_per_second, first_step, accuracy):
    print(json.dumps({"samples_per_second": samples_per_second, "first_step": first_step, "accuracy": accuracy}))
