"""What real PyTorch makes of networks, read from the project file without the plan's help: shapes, refusals, and the numbers of one step.

Standard input: a JSON list of questions a line (`Question` of layers-run.ts); standard output: a list of answers a line.
"""
import copy
import json
import os
import re
import sys
import warnings

import numpy as np
import torch
from kinds_sequence import Padding
from model import answer, build, mixes
from safetensors.torch import load_file
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

BATCH = 13


class Refused(Exception):
    """PyTorch would do it, a rule of the project file forbids it."""


def read(folder, column, shape, dtype="<f4"):
    return torch.from_numpy(np.fromfile(os.path.join(folder, column), dtype=dtype).reshape(-1, *shape))


def samples(question):
    ran = question["ran"]
    integers = question["tokens"] is not None
    if ran is not None:
        return read(ran["folder"], "input", question["input"], "<i8" if integers else "<f4")
    if integers:
        tokens = torch.randint(question["tokens"], (BATCH, *question["input"]))
        tokens.flatten()[0] = question["tokens"] - 1  # the last is certainly there
        return tokens
    return torch.randn(BATCH, *question["input"])


def examine(question):
    x = samples(question)
    # The weights are drawn as by a script that builds the network after this line.
    torch.manual_seed(question["ran"]["seed"] if question["ran"] else 0)
    try:
        Padding.now = None
        modules, shapes, arriving = [], [], x
        for layer in question["layers"]:
            if layer.get("disabled"):
                continue
            module = build(layer, arriving, question["blocks"])
            check(module, arriving)
            arriving = answer(module, arriving)
            if arriving.numel() == 0:
                raise Refused("an answer without values")
            modules.append(module)
            shapes.append(list(arriving.shape[1:]))
        model = nn.Sequential(*modules)
        with torch.random.fork_rng(devices=[]):
            result = {"ok": True, "shapes": shapes, **facts(model, x)}
            result["lines_differ"] = None if question["python"] is None else difference(model, question, x)
        # Last, since it changes the weights.
        result["numbers"] = step(model, x, question["ran"])
        return result
    except Refused as refused:
        return {"ok": False, "error": str(refused), "rule": str(refused)}
    except Exception as error:
        return {"ok": False, "error": f"{type(error).__name__}: {error}", "rule": None}


def check(module, x):
    padding = Padding.now
    try:
        mixed = mixes(module, x)
    except Exception as error:
        Padding.now = padding
        answer(module, x)  # where it cannot take these samples at all, this tells
        raise Refused(f"a single sample is refused: {error}") from error
    if mixed:
        raise Refused("samples that depend on each other")


def facts(model, x):
    parameters = {name for name, _ in model.named_parameters()}
    # With gradients: without, attention takes a way that the counter does not see.
    with FlopCounterMode(display=False) as counter:
        model.eval()(x)
        model.train()
    return {
        "tensors": [[name, list(tensor.shape), name not in parameters] for name, tensor in model.state_dict().items()],
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "matrix_flops": counter.get_total_flops() / len(x),
    }


def difference(model, question, x):
    """What the plan's own lines of PyTorch build, where it is not the same; else None."""
    scope = {}
    exec("import torch\nfrom torch import nn\nimport torchvision", scope)
    try:
        for definition in question["definitions"]:
            exec(definition, scope)
        written = nn.Sequential(*[eval(line, scope) for line in question["python"]])
        if readable(written) != readable(model):
            return f"{written!r} is not {model!r}"
        written.load_state_dict(model.state_dict(), strict=True)
        same = torch.equal(answer(written, x), answer(model, x)) or torch.allclose(answer(written, x), answer(model, x), rtol=1e-5, equal_nan=True)
    except Exception as error:
        return f"{question['python']}: {type(error).__name__}: {error}"
    return None if same else f"{written!r} answers otherwise"


def readable(model):
    """
    PyTorch's own leaves as text, where the lines name sizes that the project leaves open: no padding is "valid" padding, None is the input's size.
    """
    texts = []
    for module in model.modules():
        own = next((each for each in type(module).__mro__ if each.__module__.startswith("torch.nn.modules")), nn.Module)
        if own not in (nn.Module, nn.Sequential, nn.ModuleList) and not list(module.children()):
            # A class that extends one of PyTorch's stands for that.
            texts.append(repr(module).replace(", padding=valid", "").replace(type(module).__name__, own.__name__, 1))
    # One number stands for as many equal ones, 1 for 1.0, and a window's own size for its stride.
    texts = [re.sub(r"(\d)\.0\b", r"\1", text) for text in texts]
    texts = [re.sub(r"\((\d+)(, \1)*,?\)", r"\1", text) for text in texts]
    texts = [re.sub(r"kernel_size=([^=]*), stride=None", r"kernel_size=\1, stride=\1", text) for text in texts]
    return [re.sub(r"output_size=(\([^)]*\)|\d+)", "output_size", text) for text in texts]


def far(ours, theirs, floor=0.0):
    """max|a - b| by the largest of b; NaN agrees with NaN alone, numbers without end with the same."""
    if ours.shape != theirs.shape:
        return "shapes differ"
    if ours.numel() == 0 or torch.equal(ours, theirs):
        return 0.0
    ours, theirs = ours.double(), theirs.double()
    finite = theirs.isfinite()
    if not torch.equal(ours.isfinite(), finite) or not torch.equal(ours[~finite].nan_to_num(), theirs[~finite].nan_to_num()):
        return "finite where PyTorch's is not, or the other way round"
    if not finite.any():
        return 0.0
    most = max(theirs[finite].abs().max().item(), floor)
    return ((ours - theirs)[finite].abs().max() / most).item() if most > 0 else float((ours[finite] != 0).any())


def farthest(ours, theirs):
    """The gradient that differs most, and how far it is. One that cancels out is noise: it is measured by the largest of the network's."""
    largest = max((gradient.abs().max().item() for gradient in theirs.values() if gradient is not None), default=0.0)
    worst = (0.0, "")
    for name, gradient in theirs.items():
        wanted = torch.zeros_like(ours[name]) if gradient is None else gradient
        distance = far(ours[name] if ours[name] is not None else torch.zeros_like(wanted), wanted, 1e-3 * largest)
        if isinstance(distance, str):
            return distance, name
        if distance > worst[0]:
            worst = (distance, name)
    return worst


def close(distance):
    return not isinstance(distance, str) and distance <= 1e-5


def double(x):
    return x.double() if x.is_floating_point() else x


def step(model, x, ran):
    """One step as in the addon, and how far its values are from these; without a run there, only whether PyTorch can."""
    if ran is None:
        inputs = x.clone().requires_grad_() if x.is_floating_point() else x
        y = model(inputs)
        if y.requires_grad:
            y.square().mean().backward()
        return None
    folder = ran["folder"]
    before, after = (load_file(os.path.join(folder, state, "model.safetensors")) for state in ("before", "after"))
    there = model.state_dict()
    initial = sorted(before) == sorted(there) and all(torch.equal(before[name], there[name]) for name in there)
    if not initial and sorted(before) == sorted(there):
        model.load_state_dict(before)
    initially, drawing = copy.deepcopy(model), torch.get_rng_state()
    with torch.no_grad():
        answers = model.eval()(x)
    model.train()
    y = model(x)
    loss = nn.functional.mse_loss(y, read(folder, "target", ran["output"]))
    loss.backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    drawn = torch.get_rng_state()
    finite = loss.isfinite() and all(gradient is None or gradient.isfinite().all() for gradient in gradients.values())
    result = {
        "initial": initial,
        "answers": far(read(folder, "answers", ran["output"]), answers),
        "generator": torch.equal(load_file(os.path.join(folder, "after", "rng.safetensors"))["cpu"], drawn),
        "rounding": {"answers": 0.0, "gradients": 0.0},
        "loss": 0.0,
        "gradients": 0.0,
        "buffers": 0.0,
        "worst": "",
    }
    if not finite or ran["loss"] is None:
        if bool(finite) != (ran["loss"] is not None):
            result["loss"] = "finite here or there only"
        # A step that is not finite leaves everything as it was.
        result["generator"] = True
        return result
    result["loss"] = far(torch.tensor(ran["loss"], dtype=torch.float64), loss.detach().double())
    found = {name: (before[name].double() - after[name].double()) / ran["lr"] for name in gradients}
    result["gradients"], result["worst"] = farthest(found, gradients)
    if not (close(result["answers"]) and close(result["gradients"])):
        # What rounding alone does to this network: PyTorch's own distance from the same step in double precision.
        exact = copy.deepcopy(initially).double()
        with torch.no_grad():
            result["rounding"]["answers"] = far(answers, exact.eval()(double(x)))
        torch.set_rng_state(drawing)
        nn.functional.mse_loss(exact.train()(double(x)), read(folder, "target", ran["output"]).double()).backward()
        result["rounding"]["gradients"] = farthest(gradients, {name: parameter.grad for name, parameter in exact.named_parameters()})[0]
    buffers = dict(model.named_buffers())
    for name, buffer in buffers.items():
        if name in after:
            distance = far(after[name], buffer)
            if isinstance(distance, str) or distance > result["buffers"]:
                result["buffers"] = distance
    return result


warnings.filterwarnings("ignore")
torch.set_num_threads(1)
for line in sys.stdin:
    print(json.dumps([examine(question) for question in json.loads(line)]), flush=True)
