"""Divides samples as the documentation says, with PyTorch's own generator; knows nothing of the program's code."""

import json
import sys
from fractions import Fraction

import torch


def order(n, seed):
    return torch.randperm(n, generator=torch.Generator().manual_seed(seed)).tolist()


def rounded(x):
    return int(x + Fraction(1, 2))


def shares(counts, val):
    """Largest remainder; of equal remainders the lower class first."""
    given = {label: int(count * val) for label, count in counts.items()}
    left = rounded(sum(counts.values()) * val) - sum(given.values())
    for label in sorted(counts, key=lambda each: (-(counts[each] * val - given[each]), each))[: max(0, left)]:
        given[label] += 1
    return given


def draw(case):
    val = Fraction(case["val"])
    excluded = set(case["excluded"])
    labels = case["labels"] or [0] * case["count"]
    kept = [i for i in range(case["count"]) if i not in excluded]
    counts = {}
    for i in kept:
        counts[labels[i]] = counts.get(labels[i], 0) + 1
    wanted = shares(counts, val)
    validates = []
    for i in order(case["count"], case["seed"]):
        if i in excluded or wanted[labels[i]] == 0:
            continue
        wanted[labels[i]] -= 1
        validates.append(i)
    validates = set(validates)
    return {"train": [i for i in kept if i not in validates], "val": sorted(validates)}


print(json.dumps([draw(case) for case in json.load(sys.stdin)]))
