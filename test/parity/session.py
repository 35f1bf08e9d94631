"""How a session calculates, with real PyTorch: torch.autocast, torch.amp.GradScaler, clipping, torch.optim.swa_utils.AveragedModel, and
torch.utils.checkpoint, on a project file.

Standard input: a JSON request a line; standard output: an answer a line. `do` is train or compare.
"""
import contextlib
import json
import math
import os
import sys

import torch
from safetensors.torch import save_file
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from train import Project, compare

formats = {"bf16": torch.bfloat16, "fp16": torch.float16}


def save(model, path):
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, path)


def train(request):
    project = Project(request)
    model, rules, out = project.model, project.training, request["out"]
    if request.get("channels_last"):
        # The layout in which the engine convolves on a CPU: another one, other kernels, other roundings.
        model.to(memory_format=torch.channels_last)
    settings = dict(rules["optimizer"])
    optimizer = getattr(torch.optim, settings.pop("kind"))(model.parameters(), fused=True, **settings)
    dtype = formats.get(rules.get("precision"))
    numbers = lambda: torch.autocast("cpu", dtype) if dtype else contextlib.nullcontext()  # noqa: E731
    scaler = torch.amp.GradScaler("cpu", enabled=dtype == torch.float16, **rules.get("loss_scale", {}))
    ema = rules.get("ema") and AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(**rules["ema"]), use_buffers=True)
    x, y = project.splits["train"]
    answer = {"losses": [], "scale": [], "skipped": [], "grad_norm": []}
    for epoch in range(rules["epochs"]):
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(rules["seed"] + epoch))
        batches = order.split(project.data["loader"]["batch_size"])
        for first in range(0, len(batches), rules.get("accumulate", 1)):
            group = batches[first : first + rules.get("accumulate", 1)]
            samples = sum(len(batch) for batch in group)
            optimizer.zero_grad()
            step_loss = 0.0
            for batch in group:
                with numbers():
                    loss = project.loss(model(x[batch]), y[batch])
                scaler.scale(loss * (len(batch) / samples) if len(group) > 1 else loss).backward()
                step_loss += loss.item() * len(batch)
            scaler.unscale_(optimizer)
            if rules.get("clip_grad_norm"):
                norm = nn.utils.clip_grad_norm_(model.parameters(), rules["clip_grad_norm"]).item()
                answer["grad_norm"].append(norm if math.isfinite(norm) else str(norm))
            if rules.get("clip_grad_value"):
                nn.utils.clip_grad_value_(model.parameters(), rules["clip_grad_value"])
            before = scaler.get_scale()
            scaler.step(optimizer)
            scaler.update()
            skipped = scaler.get_scale() < before
            if ema and not skipped:
                ema.update_parameters(model)
            answer["losses"].append(step_loss / samples)
            answer["scale"].append(before)
            answer["skipped"].append(int(skipped))
    save(model, os.path.join(out, "model.safetensors"))
    evaluated = model
    if ema:
        save(ema.module, os.path.join(out, "ema.safetensors"))
        evaluated = ema.module
    evaluated.eval()
    x, y = project.splits["val"]
    with torch.no_grad(), numbers():
        logits = torch.cat([evaluated(part) for part in x.split(project.data["loader"]["batch_size"])])
        answer["val_loss"] = project.loss(logits, y).item()
    answer["logits"] = logits[:8].float().tolist()
    return answer


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"train": train, "compare": compare}[request["do"]](request)), flush=True)
