"""The bench's opponent for data: torch.utils.data.DataLoader and torchvision on the same files, as tutorials write it.
KIND (digits, cifar or images), FOLDER, EPOCHS; prints each epoch's samples and seconds, and the processor seconds of all."""
import gzip
import json
import os
import resource
import sys
import time

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, transforms

torch.set_num_threads(1)  # the process only takes batches: other threads would be in the workers' way


class Images(Dataset):
    """As torchvision.datasets.MNIST and CIFAR10 are: an array in memory, each sample an Image that is transformed."""

    def __init__(self, data, targets, transform):
        self.data, self.targets, self.transform = data, targets, transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.transform(Image.fromarray(self.data[index])), int(self.targets[index])


def read(folder, name, header):
    path = os.path.join(folder, name)
    with gzip.open(path + ".gz", "rb") if os.path.exists(path + ".gz") else open(path, "rb") as file:
        return numpy.frombuffer(file.read()[header:], dtype=numpy.uint8)


def digits(folder):
    transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
    return Images(read(folder, "train-images-idx3-ubyte", 16).reshape(-1, 28, 28),
                  read(folder, "train-labels-idx1-ubyte", 8), transform)  # fmt: skip


def cifar(folder):
    transform = transforms.Compose(
        [
            transforms.RandomCrop(32, padding=4),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize((0.49, 0.48, 0.45), (0.25, 0.24, 0.26)),
        ]
    )
    records = numpy.concatenate(
        [read(folder, f"data_batch_{number}.bin", 0).reshape(-1, 3073) for number in range(1, 6)]
    )
    data = numpy.ascontiguousarray(records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
    return Images(data, records[:, 0], transform)


def images(folder):
    transform = transforms.Compose(
        [
            transforms.Resize(224),
            transforms.CenterCrop(224),
            transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]
    )
    return datasets.ImageFolder(folder, transform)


def main():
    kind, folder, epochs = sys.argv[1:4]
    dataset = {"digits": digits, "cifar": cifar, "images": images}[kind](folder)
    loader = DataLoader(
        dataset, batch_size=64 if kind == "images" else 256, shuffle=True, num_workers=4, persistent_workers=True,
        prefetch_factor=2,
    )  # fmt: skip
    lines = []
    for _ in range(int(epochs)):
        start = time.perf_counter()
        samples = 0
        for x, _y in loader:
            samples += len(x)
        lines.append({"samples": samples, "seconds": time.perf_counter() - start})
    del loader  # ends the workers, whose time counts from then on
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    workers = used[1].ru_utime + used[1].ru_stime
    print(json.dumps({"epochs": lines, "worker_cpu": workers, "own_cpu": used[0].ru_utime + used[0].ru_stime}))


if __name__ == "__main__":
    sys.exit(main())
