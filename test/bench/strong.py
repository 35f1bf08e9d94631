"""The bench's opponent at its best in eager PyTorch: all samples preloaded and normalized, fused Adam, no loss read in the loop."""
import sys
import time

from network import build, parts, report, settings

import torch
from torch import nn


def main():
    name, data, epochs = settings()
    (x, y), (test_x, test_y) = [
        (images.unsqueeze(1).float().div(255).sub(0.5).div(0.5), labels) for images, labels in parts(data)
    ]
    torch.manual_seed(42)
    model = build(name)
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=True)
    first_step = None
    seconds = samples = 0.0
    for epoch in range(epochs):
        start = time.perf_counter()
        model.train()
        losses = []
        for batch in torch.randperm(len(x), generator=torch.Generator().manual_seed(42 + epoch)).split(256):
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
            samples += len(batch)
            first_step = first_step or time.time()
        torch.stack(losses).mean().item()
        seconds += time.perf_counter() - start
        model.eval()
        right = 0
        with torch.no_grad():
            for batch, labels in zip(test_x.split(256), test_y.split(256)):
                right += (model(batch).argmax(1) == labels).sum().item()
    report(samples / seconds, first_step, right / len(test_y))


if __name__ == "__main__":
    sys.exit(main())
