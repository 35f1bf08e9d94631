"""Learning rates and momentum of every step, as torch.optim.lr_scheduler moves them.

Standard input: one JSON list of cases; the last line of standard output: a list of {lr: [group][step], momentum: [step] | null}.
"""
import json
import sys

import torch
from scheduling import Schedule


def run(case):
    options = dict(case["optimizer"])
    groups = [{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": lr} for lr in case["groups"]]
    optimizer = getattr(torch.optim, options.pop("kind"))(groups, **options)
    schedule = Schedule(optimizer, case["schedule"], case["epochs"], case["steps_per_epoch"])
    lrs, momenta = [], []
    for epoch in range(case["epochs"]):
        for _ in range(case["steps_per_epoch"]):
            lrs.append([group["lr"] for group in optimizer.param_groups])
            own = optimizer.param_groups[0]
            momenta.append(own["betas"][0] if "betas" in own else own.get("momentum"))
            optimizer.step()
            schedule.after_step()
        schedule.after_epoch(case["values"][epoch])
    moves = case["schedule"]["kind"] == "OneCycleLR" and case["schedule"].get("cycle_momentum", True)
    return {"lr": [list(column) for column in zip(*lrs)], "momentum": momenta if moves else None}


print(json.dumps([run(case) for case in json.load(sys.stdin)]))
