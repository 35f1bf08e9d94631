"""Learning rates and momentum of every step, by torch.optim.lr_scheduler in a training loop as a person writes it.

Standard input: one JSON list of cases; the last line of standard output: a list of {lr: [group][step], momentum: [step] | null}.
"""
import json
import sys
import warnings

import torch
from torch.optim import lr_scheduler

warnings.filterwarnings("ignore")


def optimizer_of(case):
    kind, options = case["optimizer"]["kind"], dict(case["optimizer"])
    del options["kind"]
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": lr} for lr in case["groups"]]
    return getattr(torch.optim, kind)(groups, **options)


def build(case, optimizer, total):
    """`total`: what the schedule's clock counts in the run, for lengths that are not given."""
    options = {key: value for key, value in case["schedule"].items() if key not in ("kind", "unit", "warmup", "monitor")}
    kind = case["schedule"]["kind"]
    if kind == "CosineAnnealingLR":
        options.setdefault("T_max", total)
    if kind in ("LinearLR", "PolynomialLR"):
        options.setdefault("total_iters", total)
    if kind == "OneCycleLR":
        own = case["groups"][0]
        peak = options.pop("max_lr", own)
        options |= {"total_steps": total, "max_lr": [peak * lr / own for lr in case["groups"]]}
    return getattr(lr_scheduler, kind)(optimizer, **options)


def run(case):
    epochs, per_epoch, schedule = case["epochs"], case["steps_per_epoch"], case["schedule"]
    by_step = schedule["unit"] == "step"
    warmup = schedule.get("warmup")
    warm_steps = warmup["steps"] if warmup else 0
    first = (warm_steps - 1) // per_epoch if warmup else 0  # the epoch that is the schedule's epoch 0
    total = epochs * per_epoch - warm_steps if by_step else epochs - first
    optimizer = optimizer_of(case)
    plateau = schedule["kind"] == "ReduceLROnPlateau"
    warm = warmup and lr_scheduler.LinearLR(optimizer, start_factor=warmup["start_factor"], total_iters=warm_steps)
    main = build(case, optimizer, total)
    # SequentialLR takes no ReduceLROnPlateau; there the warm-up ends at the full rate by itself.
    stepped = warm if warm and plateau else lr_scheduler.SequentialLR(optimizer, [warm, main], [warm_steps]) if warm else main
    lrs, momenta, done = [], [], 0
    for epoch in range(epochs):
        for _ in range(per_epoch):
            lrs.append([group["lr"] for group in optimizer.param_groups])
            own = optimizer.param_groups[0]
            momenta.append(own["betas"][0] if "betas" in own else own.get("momentum"))
            optimizer.step()
            done += 1
            if by_step or done <= warm_steps:
                stepped.step()
        if by_step or done < warm_steps:
            continue
        if plateau:
            main.step(case["values"][epoch])
        else:
            main.step()
    moves = schedule["kind"] == "OneCycleLR" and schedule.get("cycle_momentum", True)
    return {"lr": [list(column) for column in zip(*lrs)], "momentum": momenta if moves else None}


print(json.dumps([run(case) for case in json.load(sys.stdin)]))
