"""Metrics of torchmetrics on the scores and targets of a split.

Standard input: a JSON request a line; standard output: an answer a line, NaN as null.
"""
import json
import math
import sys
import warnings

import numpy as np
import torch
import torchmetrics.functional as F
from torchmetrics.segmentation import DiceScore
from torchmetrics.text import Perplexity

warnings.filterwarnings("ignore")


def read_column(column, count):
    kind = {"float32": np.float32, "int64": np.int64}[column["dtype"]]
    values = np.fromfile(column["path"], dtype=kind)
    return torch.from_numpy(values).view(count, *column["shape"])


def dice(scores, target, given, classes, binary):
    preds = (scores.sigmoid() > 0.5).squeeze(1).long() if binary else scores.argmax(1)
    metric = DiceScore(num_classes=classes, input_format="index", **given)
    for part in range(0, len(scores), 100):
        metric.update(preds[part : part + 100], target[part : part + 100])
    return metric.compute()


def one(metric, request, scores, target):
    given = {key: value for key, value in metric.items() if key != "kind"}
    kind, task, classes = metric["kind"], request["task"], request["classes"]
    ignored = request["ignored"]
    if kind == "dice_score":
        return dice(scores, target, given, 2 if task == "binary" else classes, task == "binary")
    if kind == "perplexity":
        own = given.get("ignore_index")
        metric = Perplexity(ignore_index=ignored if own is None else own)
        metric.update(scores, target)
        return metric.compute()
    if kind == "r2_score":
        return F.r2_score(scores.double().flatten(1), target.double().flatten(1), **given)
    if kind in ("mean_absolute_error", "mean_squared_error"):
        return getattr(F, kind)(scores.double().flatten(), target.double().flatten(), **given)
    if given.get("ignore_index") is None:
        given["ignore_index"] = ignored
    if task == "binary":
        given.pop("average", None)
        return getattr(F, kind)(scores.squeeze(1), target, task="binary", **given)
    if task == "multilabel":
        return getattr(F, kind)(scores, target.long(), task="multilabel", num_labels=classes, **given)
    return getattr(F, kind)(scores, target, task="multiclass", num_classes=classes, **given)


def confusion(request, scores, target):
    ignored = request["ignored"]
    if request["task"] == "regression":
        return None
    if request["task"] == "multilabel":
        return F.confusion_matrix(scores, target.long(), task="multilabel", num_labels=request["classes"], ignore_index=ignored).flatten().tolist()
    if request["task"] == "binary":
        return F.confusion_matrix(scores.squeeze(1), target, task="binary", ignore_index=ignored).flatten().tolist()
    if request["classes"] > 100 or request["last"]:
        return None
    return F.confusion_matrix(scores, target, task="multiclass", num_classes=request["classes"], ignore_index=ignored).flatten().tolist()


def run(request):
    scores = read_column(request["input"], request["count"])
    target = read_column(request["target"], request["count"])
    values = []
    for metric in request["metrics"]:
        # Scores of tokens stand last; what is not perplexity wants them second, as losses do.
        moved = scores.movedim(-1, 1) if request["last"] and metric["kind"] != "perplexity" else scores
        value = float(one(metric, request, moved, target))
        values.append(None if math.isnan(value) else value)
    return {"values": values, "confusion": confusion(request, scores, target)}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
