"""The bench's opponent as tutorials write it: a Dataset that transforms each sample, DataLoader with 4 workers, plain Adam."""
import sys
import time

from network import build, parts, report, settings

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, images, labels):
        self.images, self.labels = images, labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        # ToTensor and Normalize, as torchvision's do them.
        image = torch.from_numpy(self.images[index].numpy()).unsqueeze(0).to(torch.float32).div(255)
        mean = torch.as_tensor([0.5], dtype=image.dtype).view(-1, 1, 1)
        std = torch.as_tensor([0.5], dtype=image.dtype).view(-1, 1, 1)
        return image.clone().sub_(mean).div_(std), int(self.labels[index])


def main():
    name, data, epochs = settings()
    train, test = parts(data)
    torch.manual_seed(42)
    model = build(name)
    loss_of = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loaders = [
        DataLoader(Digits(*part), batch_size=256, shuffle=shuffle, num_workers=4, persistent_workers=True, prefetch_factor=2)
        for part, shuffle in ((train, True), (test, False))
    ]
    first_step = None
    seconds = samples = 0.0
    for _ in range(epochs):
        start = time.perf_counter()
        model.train()
        for x, y in loaders[0]:
            optimizer.zero_grad()
            loss = loss_of(model(x), y)
            loss.backward()
            optimizer.step()
            loss.item()
            samples += len(y)
            first_step = first_step or time.time()
        seconds += time.perf_counter() - start
        model.eval()
        right = 0
        with torch.no_grad():
            for x, y in loaders[1]:
                right += (model(x).argmax(1) == y).sum().item()
    report(samples / seconds, first_step, right / len(test[1]))


if __name__ == "__main__":
    sys.exit(main())
