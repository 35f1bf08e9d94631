"""Reads {epochs, seed, classes, cases: [{weights}]} and prints the samples that torch's WeightedRandomSampler draws, by case and epoch; weights null: 1 / the class's samples."""
import json
import sys

import torch
from torch.utils.data import WeightedRandomSampler

request = json.load(sys.stdin)
classes = torch.tensor(request["classes"])
answer = []
for case in request["cases"]:
    if case["weights"] is None:
        by_class = 1.0 / torch.bincount(classes).double()
    else:
        by_class = torch.tensor(case["weights"], dtype=torch.double)
    epochs = []
    for epoch in range(request["epochs"]):
        generator = torch.Generator().manual_seed(request["seed"] + epoch)
        epochs.append(list(WeightedRandomSampler(by_class[classes], len(classes), generator=generator)))
    answer.append(epochs)
print(json.dumps(answer))
