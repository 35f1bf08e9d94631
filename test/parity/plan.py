"""What real PyTorch makes of stacks of layers, read from the project file without the plan's help.

Standard input: a JSON list of {input, layers, blocks, python}; last line of output: a list of what came of each.
"""
import json
import re
import sys

import torch
from model import Block, Parallel, Residual, answer, build
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

# No dimension of a random stack has this size, so that a tensor without its batch is never taken for one with it.
BATCH = 13


def examine(stack):
    x = torch.randn(BATCH, *stack["input"])
    try:
        modules, shapes = [], []
        for layer in stack["layers"]:
            if layer.get("disabled"):
                continue
            module = build(layer, x, stack["blocks"])
            x = answer(module, x)
            modules.append(module)
            shapes.append(list(x.shape[1:]))
        model = nn.Sequential(*modules)
    except Exception as error:
        return {"ok": False, "error": f"{type(error).__name__}: {error}"}
    parameters = {name for name, _ in model.named_parameters()}
    with FlopCounterMode(display=False) as counter:
        model(torch.randn(BATCH, *stack["input"]))
    result = {
        "ok": True,
        "shapes": shapes,
        "tensors": [[name, list(tensor.shape), name not in parameters] for name, tensor in model.state_dict().items()],
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "matrix_flops": counter.get_total_flops() / BATCH,
    }
    if stack["python"] is not None:
        result["lines_differ"] = difference(model, stack["python"], torch.randn(BATCH, *stack["input"]))
    return result


def difference(model, lines, x):
    """What the plan's own lines of PyTorch build, where it is not the same; else None."""
    scope = {"nn": nn, "Residual": Residual, "Parallel": Parallel, "Block": Block}
    written = nn.Sequential(*[eval(line, scope) for line in lines])
    if readable(written) != readable(model):
        return f"{written!r} is not {model!r}"
    written.load_state_dict(model.state_dict(), strict=True)
    return None if torch.equal(answer(written, x), answer(model, x)) else f"{written!r} answers otherwise"


def readable(model):
    """As text, where the lines name sizes that the project leaves open: no padding is "valid" padding, None is the input's size."""
    return re.sub(r"output_size=(\([^)]*\)|\d+)", "output_size", repr(model).replace(", padding=valid", ""))


torch.manual_seed(0)
torch.set_num_threads(1)
print(json.dumps([examine(stack) for stack in json.load(sys.stdin)]))
