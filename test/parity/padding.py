"""Whether a layer lets padding into what it answers: the question that decides if its place behind a mask may be refused."""
import copy

import torch
from kinds_sequence import Embedding, Padding


def mixed(model, x, question):
    """Of each place that the plan refuses for its mask, whether one of the modules made from it does."""
    return [any(lets_in(module, *arriving) for module, arriving in found(model, x, layer_at(question, place))) for place in question["masked"]]


def layer_at(question, place):
    at = {"model": {"layers": question["layers"], "blocks": question["blocks"]}}
    for key in place.split("."):
        at = at[int(key) if key.isdigit() else key]
    return at


def found(model, x, layer):
    """The modules made from the layer, each with its input and the padding there."""
    arriving, model = [], copy.deepcopy(model).eval()

    def look(module, inputs):
        arriving.append((module, (inputs[0].detach(), Padding.now)))

    hooks = [module.register_forward_pre_hook(look) for module in model.modules() if getattr(module, "made_from", None) == id(layer)]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        Padding.now = None
        model(x)
    for hook in hooks:
        hook.remove()
    return arriving


def lets_in(module, x, padding):
    """Other values where there is padding change what stands elsewhere."""
    if padding is not None and padding.shape != x.shape[:2]:
        return True  # a layer before has lost it
    # Where the padding is of layers inside, tables say what stands there.
    other, marked = x, None
    if padding is not None:
        marked = torch.arange(x.shape[1])[None, :] > torch.arange(len(x))[:, None] % x.shape[1]
        marked[1::2] = marked[1::2].flip(1)  # before what counts, too
        wide = x.shape[:2] + (1,) * (x.dim() - 2)
        other = torch.where(marked.view(wide), x + 3 * torch.randn_like(x) * (1 + x.abs()), x)
    for training in (False, True):
        plain, shown = run(module, x, marked, training, 0)
        changed, _ = run(module, other, marked, training, 3 if padding is None else 0)
        if not torch.allclose(plain[shown], changed[shown], rtol=1e-5, atol=1e-6, equal_nan=True):
            return True
    return False


def run(module, x, padding, training, noise):
    """The answer, and which of its positions are no padding (all where none is marked)."""
    module = copy.deepcopy(module).train(training)
    Padding.now, Embedding.noise = padding, noise
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        answers = module(x)
    Embedding.noise = 0
    kept = Padding.now is not None and Padding.now.shape == answers.shape[:2]
    return answers, ~Padding.now if kept else torch.ones(answers.shape[:1], dtype=torch.bool)
