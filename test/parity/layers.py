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
from padding import mixed
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
            result["mixed"] = mixed(model, x, question)
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
    with FlopCounterMode(display=False) as counter:
        answer(model, x)
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


def far(ours, theirs):
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
    most = theirs[finite].abs().max().item()
    return ((ours - theirs)[finite].abs().max() / most).item() if most > 0 else float((ours[finite] != 0).any())


def close(distance, most):
    return not isinstance(distance, str) and distance <= most


class Shaken:
    """The same step with weights and input changed in their last bits and images in either layout, when it is asked for: what rounding alone can do to this network."""

    TIMES = 8

    def __init__(self, model, x, target):
        self.model, self.x, self.target = copy.deepcopy(model), x, target
        self.drawing = torch.get_rng_state()

    def versions(self):
        for time in range(self.TIMES):
            model, dice = copy.deepcopy(self.model), torch.Generator().manual_seed(time)

            def shake(tensor):
                return tensor * (1 + 2e-7 * torch.randn(tensor.shape, generator=dice))

            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.copy_(shake(parameter))
            x = shake(self.x) if self.x.is_floating_point() else self.x
            if time % 2:
                # The layout in which the addon convolves, for which PyTorch has kernels that sum otherwise.
                model = model.to(memory_format=torch.channels_last)
                x = x.to(memory_format=torch.channels_last) if x.dim() == 4 else x
            yield model, x

    def answers(self):
        with torch.no_grad():
            return [model.eval()(x) for model, x in self.versions()]

    def gradients(self):
        found = []
        for model, x in self.versions():
            torch.set_rng_state(self.drawing)
            nn.functional.mse_loss(model.train()(x), self.target).backward()
            found.append({name: filled(parameter) for name, parameter in model.named_parameters()})
        return found


def as_far(ours, theirs, shaken):
    """Whether the difference is no more than three times what such a change makes of PyTorch's values."""
    apart = (ours.double() - theirs.double()).abs().max()
    return bool(apart <= 3 * max((version.double() - theirs.double()).abs().max() for version in shaken))


def filled(parameter):
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


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
    target = read(folder, "target", ran["output"])
    shaken = Shaken(model, x, target)
    with torch.no_grad():
        answers = model.eval()(x)
    model.train()
    y = model(x)
    loss = nn.functional.mse_loss(y, target)
    loss.backward()
    drawn = torch.get_rng_state()
    gradients = {name: filled(parameter) for name, parameter in model.named_parameters()}
    finite = bool(loss.isfinite()) and all(gradient.isfinite().all() for gradient in gradients.values())
    ours = read(folder, "answers", ran["output"])
    result = {"initial": initial, "answers": far(ours, answers), "loss": 0.0, "gradients": 0.0, "buffers": 0.0, "worst": "", "generator": True}
    excused = result["excused"] = []
    result["compared"] = 1
    if not close(result["answers"], ran["most"]["answers"]) and answers.isfinite().all() and as_far(ours, answers, shaken.answers()):
        excused.append(f"answers: {result['answers']:.1e} off, by rounding")
        result["answers"] = 0.0
    if not finite or ran["loss"] is None:
        # A step that is not finite leaves everything as it was.
        if finite or ran["loss"] is not None:
            result["loss"] = "finite here or there only"
        return result
    result["generator"] = torch.equal(load_file(os.path.join(folder, "after", "rng.safetensors"))["cpu"], drawn)
    result["loss"] = far(torch.tensor(ran["loss"], dtype=torch.float64), loss.detach().double())
    # The weights of now: a table whose rows have a largest norm has shortened them, here as there.
    # One so large that the step overflows cannot be told by it.
    told = {name: gradient for name, gradient in gradients.items() if gradient.abs().max() * ran["lr"] < 1e38}
    found = {name: (parameter.detach().double() - after[name].double()) / ran["lr"] for name, parameter in model.named_parameters()}
    result["compared"] += len(told)
    of_loss = 2 * (y - target).abs().max().item() / y.numel()
    result["gradients"], result["worst"] = farthest(found, told, shaken, of_loss, ran["most"]["gradients"], excused)
    # Of normalised values the mean is noise.
    same = lambda a, b: a.shape == b.shape and (a.double() - b.double()).abs().max().item() <= 1e-6  # noqa: E731
    distances = [0.0 if same(after[name], buffer) else far(after[name], buffer) for name, buffer in model.named_buffers() if name in after]
    result["buffers"] = max([0.0, *distances], key=lambda distance: float("inf") if isinstance(distance, str) else distance)
    return result


def farthest(found, gradients, shaken, of_loss, most, excused):
    """
    How far the gradient is that differs most, and its name; what is farther than allowed, since it cancels out or hangs on a tie, is measured by
    what rounding does to it, and told.
    """
    distances = {name: far(found[name], gradient) for name, gradient in gradients.items()}
    if not all(close(distance, most) for distance in distances.values()):
        versions = shaken.gradients()
        # Less than this beside the largest gradient, or beside that of the loss, is what sums leave where they cancel out.
        noise = max(5e-6 * max(gradient.abs().max().item() for gradient in gradients.values()), 1e-7 * of_loss)
        for name, gradient in gradients.items():
            if isinstance(distances[name], str) or close(distances[name], most):
                continue
            apart = (found[name] - gradient.double()).abs().max().item()
            why = "what cancels out" if apart <= noise else "rounding" if as_far(found[name], gradient, [version[name] for version in versions]) else None
            if why is not None:
                excused.append(f"{name}: {distances[name]:.1e} off, by {why}")
                distances[name] = 0.0
    name = max(distances, key=lambda name: float("inf") if isinstance(distances[name], str) else distances[name], default="")
    return distances.get(name, 0.0), name


warnings.filterwarnings("ignore")
# Attention's shortcut for evaluation answers NaN where a position may see nothing; the usual way answers as in training.
torch.backends.mha.set_fastpath_enabled(False)
torch.set_num_threads(1)
if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps([examine(question) for question in json.loads(line)]), flush=True)
