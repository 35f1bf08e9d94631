"""What other counters say of networks: parameters and multiply-adds of torchinfo, parameters and FLOPs of fvcore.

Standard input: a JSON list of questions a line (`Question` of layers-run.ts); standard output: a list of counts a line.
"""
import json
import logging
import sys
import warnings

import torch
from fvcore.nn import FlopCountAnalysis, parameter_count
from kinds_sequence import Padding
from model import build_list
from torchinfo import summary

# Two: norms refuse a single sample with one value a channel.
BATCH = 2


def count(question):
    shape = (BATCH, *question["input"])
    x = torch.randn(shape) if question["tokens"] is None else torch.randint(question["tokens"], shape)
    Padding.now = None
    model, _ = build_list(question["layers"], x, question["blocks"])
    model.eval()
    flops = FlopCountAnalysis(model, x).unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    listed = summary(model, input_data=x, verbose=0, mode="eval")
    return {
        "fvcore": {"parameters": parameter_count(model)[""], "flops": flops.total() / BATCH},
        "torchinfo": {"parameters": listed.total_params, "mult_adds": listed.total_mult_adds / BATCH},
    }


warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)
for line in sys.stdin:
    print(json.dumps([count(question) for question in json.loads(line)]), flush=True)
