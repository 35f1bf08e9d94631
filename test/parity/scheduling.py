"""A project's schedule by the published rules, with torch.optim.lr_scheduler, driven from a training loop as a person writes it."""
import warnings

from torch.optim import lr_scheduler

warnings.filterwarnings("ignore")


def build(schedule, optimizer, total):
    """`total`: what the schedule's clock counts in the run, for lengths that are not given."""
    options = {key: value for key, value in schedule.items() if key not in ("kind", "unit", "warmup", "monitor")}
    kind = schedule["kind"]
    if kind == "CosineAnnealingLR":
        options.setdefault("T_max", total)
    if kind in ("LinearLR", "PolynomialLR"):
        options.setdefault("total_iters", total)
    if kind == "OneCycleLR":
        rates = [group.get("initial_lr", group["lr"]) for group in optimizer.param_groups]
        peak = options.pop("max_lr", rates[0])
        options |= {"total_steps": total, "max_lr": [peak * lr / rates[0] for lr in rates]}
    return getattr(lr_scheduler, kind)(optimizer, **options)


class Schedule:
    """Call `after_step` after each optimizer step and `after_epoch`, with the watched value, after each evaluation."""

    def __init__(self, optimizer, schedule, epochs, per_epoch):
        kind, warmup = schedule["kind"], schedule.get("warmup")
        self.by_step = schedule.get("unit", "step" if kind == "OneCycleLR" else "epoch") == "step"
        self.plateau = kind == "ReduceLROnPlateau"
        self.done, self.warm_steps = 0, warmup["steps"] if warmup else 0
        first = (self.warm_steps - 1) // per_epoch if warmup else 0  # the epoch that is the schedule's epoch 0
        total = epochs * per_epoch - self.warm_steps if self.by_step else epochs - first
        warm = warmup and lr_scheduler.LinearLR(optimizer, warmup.get("start_factor", 1 / 3), total_iters=self.warm_steps)
        self.main = build(schedule, optimizer, total)
        # SequentialLR takes no ReduceLROnPlateau; there the warm-up ends at the full rate by itself.
        self.stepped = warm or self.main
        if warm and not self.plateau:
            self.stepped = lr_scheduler.SequentialLR(optimizer, [warm, self.main], [self.warm_steps])

    def after_step(self):
        self.done += 1
        if self.by_step or self.done <= self.warm_steps:
            self.stepped.step()

    def after_epoch(self, value):
        if self.by_step or self.done < self.warm_steps:
            return
        if self.plateau:
            self.main.step(value)
        else:
            self.main.step()
