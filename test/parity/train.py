"""Trains and evaluates a project with real PyTorch, reading the project file by the published rules and nothing of the engine's.

Standard input: a JSON request a line; standard output: an answer a line. `do` is train, evaluate or compare.
"""
import gzip
import json
import math
import os
import sys

import torch
from model import build_list
from safetensors.torch import load_file, save_file
from scheduling import Schedule
from torch import nn


def read_idx(folder, stem):
    """An IDX file of unsigned bytes, gzip or not."""
    name = next(name for name in sorted(os.listdir(folder)) if name.startswith(stem))
    path = os.path.join(folder, name)
    with (gzip.open if name.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    dims = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(data[3])]
    return torch.frombuffer(bytearray(data[4 + 4 * len(dims) :]), dtype=torch.uint8).view(dims)


def read_source(source, base):
    """Parts as (inputs of 0..1 or as drawn, targets)."""
    if source["kind"] == "idx":
        folder = os.path.join(base, source["path"])
        parts = {}
        for part, stem in (("train", "train"), ("test", "t10k")):
            images = read_idx(folder, stem + "-images").float().div(255).unsqueeze(1)
            parts[part] = (images, read_idx(folder, stem + "-labels").long())
        return parts
    generator = torch.Generator().manual_seed(source["seed"])
    samples, shape = source["samples"], source["shape"]
    inputs = torch.randn(samples, *shape, generator=generator)
    if source["classes"] is None:
        return {"train": (inputs, torch.randn(samples, *source["target_shape"], generator=generator))}
    return {"train": (inputs, torch.randint(source["classes"], (samples,), generator=generator))}


def split(parts, rule):
    """Training, validation and test samples by the rules of data.split."""
    inputs, targets = parts["train"]
    if rule["val"] == "test":
        return {"train": (inputs, targets), "val": parts["test"], "test": parts["test"]}
    count = len(inputs)
    order = torch.randperm(count, generator=torch.Generator().manual_seed(rule["seed"])).tolist()
    classes = targets.tolist() if rule["stratify"] and targets.dtype == torch.int64 else [0] * count
    shares = {c: classes.count(c) * rule["val"] for c in sorted(set(classes))}
    left = {c: math.floor(share + 1e-9) for c, share in shares.items()}
    # What rounding leaves goes to the classes that were cut most, the first of equals first.
    for c in sorted(shares, key=lambda c: left[c] - shares[c])[: math.floor(count * rule["val"] + 0.5) - sum(left.values())]:
        left[c] += 1
    chosen = set()
    for index in order:
        if left[classes[index]] > 0:
            left[classes[index]] -= 1
            chosen.add(index)
    val = torch.tensor(sorted(chosen))
    train = torch.tensor([index for index in range(count) if index not in chosen])
    splits = {"train": (inputs[train], targets[train]), "val": (inputs[val], targets[val])}
    if "test" in parts:
        splits["test"] = parts["test"]
    return splits


def normalize(x, transforms):
    for transform in transforms:
        assert transform["kind"] == "Normalize"
        shape = (-1,) + (1,) * (x.dim() - 2)
        x = (x - torch.tensor(transform["mean"]).view(shape)) / torch.tensor(transform["std"]).view(shape)
    return x


class Project:
    def __init__(self, request):
        project = request["project"]
        self.training = project["training"]
        self.data = project["data"]
        splits = split(read_source(self.data["source"], request["base"]), self.data["split"])
        self.splits = {name: (normalize(x, self.data["transforms"]), y) for name, (x, y) in splits.items()}
        torch.set_num_threads(request["threads"])
        torch.manual_seed(self.training["seed"])
        shape = self.splits["train"][0].shape[1:]
        self.model = build_list(project["model"]["layers"], torch.zeros(2, *shape), project["model"].get("blocks", {}))[0]
        loss = dict(self.training["loss"])
        if loss.get("weight"):
            loss["weight"] = torch.tensor(loss["weight"])
        self.loss = getattr(nn, loss.pop("kind"))(**loss)

    def evaluate(self, name):
        """Loss and accuracy of a split in eval mode, the logits and the confusion matrix."""
        x, y = self.splits[name]
        self.model.eval()
        with torch.no_grad():
            logits = torch.cat([self.model(part) for part in x.split(256)])
            loss = self.loss(logits, y).item()
        self.model.train()
        answer = {"loss": loss}
        if y.dtype == torch.int64:
            guess = logits.argmax(1)
            answer["accuracy"] = (guess == y).double().mean().item()
            confusion = torch.zeros(logits.shape[1], logits.shape[1], dtype=torch.int64)
            confusion.index_put_((y, guess), torch.ones_like(y), accumulate=True)
            answer["confusion"] = confusion.tolist()
        return answer, logits


def train(request):
    project = Project(request)
    model, rules, out = project.model, project.training, request["out"]
    save_file(model.state_dict(), os.path.join(out, "initial.safetensors"))
    settings = dict(rules["optimizer"])
    # The engine takes PyTorch's fused kernels, whose rounding differs from the unfused ones'; one ReLU that flips shows after an epoch.
    optimizer = getattr(torch.optim, settings.pop("kind"))(model.parameters(), fused=True, **settings)
    x, y = project.splits["train"]
    loader = project.data["loader"]
    batches_per_epoch = -(-len(x) // loader["batch_size"]) - (loader["drop_last"] and len(x) % loader["batch_size"] > 0)
    per_epoch = -(-batches_per_epoch // rules["accumulate"])
    schedule = rules.get("schedule") and Schedule(optimizer, rules["schedule"], rules["epochs"], per_epoch)
    losses, epochs = [], []
    for epoch in range(rules["epochs"]):
        order = torch.arange(len(x))
        if loader["shuffle"]:
            order = torch.randperm(len(x), generator=torch.Generator().manual_seed(rules["seed"] + epoch))
        batches = list(order.split(loader["batch_size"]))
        if loader["drop_last"] and len(batches[-1]) < loader["batch_size"]:
            batches.pop()
        loss_sum = right = seen = 0
        for first in range(0, len(batches), rules["accumulate"]):
            group = batches[first : first + rules["accumulate"]]
            samples = sum(len(batch) for batch in group)
            optimizer.zero_grad()
            step_loss = 0.0
            for batch in group:
                logits = model(x[batch])
                loss = project.loss(logits, y[batch])
                (loss * (len(batch) / samples)).backward()
                step_loss += loss.item() * len(batch)
                if y.dtype == torch.int64:
                    right += (logits.argmax(1) == y[batch]).sum().item()
            if not losses:
                grads = {name: parameter.grad for name, parameter in model.named_parameters()}
                save_file(grads, os.path.join(out, "gradients.safetensors"))
            if rules["clip_grad_norm"] is not None:
                nn.utils.clip_grad_norm_(model.parameters(), rules["clip_grad_norm"])
            optimizer.step()
            if schedule:
                schedule.after_step()
            losses.append(step_loss / samples)
            loss_sum += step_loss
            seen += samples
        line = {"train_loss": loss_sum / seen}
        if "val" in project.splits:
            answer, _ = project.evaluate("val")
            line["val_loss"] = answer["loss"]
            if "accuracy" in answer:
                line["train_accuracy"] = right / seen
                line["val_accuracy"] = answer["accuracy"]
        if schedule:
            schedule.after_epoch(line.get("val_loss", line["train_loss"]))
        epochs.append(line)
    save_file(model.state_dict(), os.path.join(out, "final.safetensors"))
    return {"losses": losses, "epochs": epochs}


def evaluate(request):
    """A weights file, strictly loaded into the network: what it answers on a split."""
    project = Project(request)
    file = request["weights"]
    state = torch.load(file, weights_only=True) if file.endswith(".pt") else load_file(file)
    project.model.load_state_dict(state, strict=True)
    answer, logits = project.evaluate(request["split"])
    return {**answer, "logits": logits[: request["rows"]].tolist()}


def compare(request):
    """max|a-b| / max|b| of every tensor of two files that must hold the same names and shapes; with `before`, a is what was taken from it."""
    a, b = load_file(request["a"]), load_file(request["b"])
    if request.get("before"):
        before = load_file(request["before"])
        a = {name: (before[name] - a[name]) for name in b}
    assert set(a) == set(b), set(a) ^ set(b)
    assert all(a[name].shape == b[name].shape for name in b)
    return {
        name: ((a[name].double() - b[name].double()).abs().max() / b[name].double().abs().max().clamp_min(1e-30)).item()
        for name in b
    }


if __name__ == "__main__":
    # One process answers many requests: importing torch takes longer than most of them.
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"train": train, "evaluate": evaluate, "compare": compare}[request["do"]](request)
        print(json.dumps(answer), flush=True)
