"""Image files of every kind that Pillow writes, what Pillow reads of them, and what torchvision's resize makes of that."""

import json
import os
import sys

import numpy as np
import torch
import torchvision.transforms.v2.functional as F
from PIL import Image, ImageDraw, ImageOps
from torchvision.datasets import ImageFolder

rng = np.random.default_rng(0)


def photo(width, height):
    coarse = Image.fromarray(rng.integers(0, 256, (height // 12 + 2, width // 12 + 2, 3)).astype("uint8"))
    image = coarse.resize((width, height), Image.BICUBIC)
    draw = ImageDraw.Draw(image)
    for _ in range(10):
        x, y, r = int(rng.integers(0, width)), int(rng.integers(0, height)), int(rng.integers(3, 20))
        draw.ellipse([x - r, y - r, x + r, y + r], fill=tuple(int(v) for v in rng.integers(0, 256, 3)))
    return image


def exif(orientation):
    data = Image.Exif()
    data[0x0112] = orientation
    return data


def write(folder):
    rgb = photo(161, 117)
    grey = rgb.convert("L")
    few = rgb.quantize(16)
    alpha = rgb.convert("RGBA")
    alpha.putalpha(Image.fromarray(np.tile(np.linspace(0, 255, 161).astype("uint8"), (117, 1))))
    deep = Image.fromarray(rng.integers(0, 65536, (40, 50)).astype("uint16"))
    save = lambda image, name, **options: image.save(os.path.join(folder, name), **options)
    save(rgb, "plain.jpg", quality=90)
    save(rgb, "444.jpg", quality=95, subsampling=0)
    save(rgb, "411.jpg", quality=60, subsampling=2)
    save(rgb, "progressive.jpg", quality=80, progressive=True)
    save(grey, "grey.jpg")
    save(rgb.convert("CMYK"), "cmyk.jpg", quality=95)
    save(photo(640, 90), "wide.jpg")
    save(photo(64, 333), "tall.png")
    save(photo(40, 30), "small.png")
    for mode in ["RGB", "L", "P", "1", "RGBA"]:
        save(rgb.convert(mode), f"{mode}.png")
    save(grey.convert("LA"), "LA.png")
    save(alpha, "alpha.png")
    save(few, "4bit.png", bits=4)
    save(few, "transparent.png", transparency=3)
    save(rgb, "interlaced.png", interlace=1)
    save(deep, "16.png")
    save(deep, "16.tif")
    save(rgb, "lossless.webp", lossless=True)
    save(rgb, "lossy.webp", quality=80)
    save(alpha, "alpha.webp", lossless=True, exact=True)
    save(rgb, "frames.webp", save_all=True, append_images=[photo(161, 117)], lossless=True)
    save(few, "transparent.gif", transparency=3)
    save(grey, "grey.gif", interlace=0)
    save(few, "few.gif", interlace=1)
    save(rgb, "frames.gif", save_all=True, append_images=[photo(161, 117)])
    for compression in ["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "jpeg"]:
        save(rgb, f"{compression}.tif", compression=compression)
    save(rgb.convert("1"), "fax.tif", compression="group4")
    save(rgb.convert("P"), "P.tif")
    save(rgb.convert("CMYK"), "cmyk.tif")
    save(alpha, "alpha.tif")
    for mode in ["RGB", "L", "P", "1", "RGBA"]:
        save(rgb.convert(mode), f"{mode}.bmp")
    for orientation in range(1, 9):
        for ending in ["jpg", "png", "webp", "tif"]:
            save(rgb, f"turned{orientation}.{ending}", exif=exif(orientation), **({"lossless": True} if ending == "webp" else {}))
    whole = open(os.path.join(folder, "plain.jpg"), "rb").read()
    for name, content in [
        ("half.jpg", whole[: len(whole) // 2]),
        ("noend.jpg", whole[:-2]),
        ("more.jpg", whole + b"something else" * 9),
        ("gap.jpg", whole[:-2] + bytes(99) + whole[-2:]),
    ]:
        open(os.path.join(folder, name), "wb").write(content)


def crop(tensor, size):
    return F.center_crop(F.resize(tensor, [size], antialias=True), [size, size])


def pad(tensor, size):
    _, height, width = tensor.shape
    if width > height:
        tensor = F.resize(tensor, [max(1, int(size * height / width)), size], antialias=True)
    else:
        tensor = F.resize(tensor, [size, max(1, int(size * width / height))], antialias=True)
    _, height, width = tensor.shape
    left, top = (size - width) // 2, (size - height) // 2
    return F.pad(tensor, [left, top, size - width - left, size - height - top], fill=9)


def main():
    request = json.load(sys.stdin)
    folder, size = request["folder"], request["size"]
    write(folder)
    answers = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        try:
            image = Image.open(path)
            deep = image.mode.startswith("I;16")
            image = ImageOps.exif_transpose(image)
            pixels = np.asarray(image) if deep else np.asarray(image.convert("RGB"))
        except OSError as error:
            answers[name] = {"error": str(error)}
            continue
        tensor = torch.from_numpy(pixels.astype("float32" if deep else "uint8"))
        tensor = tensor[None] if deep else tensor.permute(2, 0, 1)
        made = {
            "plain": tensor,
            "crop": crop(tensor, size),
            "stretch": F.resize(tensor, [size, size], antialias=True),
            "pad": pad(tensor, size),
            "grey": torch.from_numpy(np.asarray(image.convert("L")).copy())[None] if not deep else tensor,
        }
        answers[name] = {"deep": deep, "shape": list(tensor.shape)}
        for kind, values in made.items():
            out = values.round().numpy().astype("uint16" if deep else "uint8")
            out.tofile(os.path.join(request["out"], f"{name}.{kind}"))
    classes = ImageFolder(request["classes"])
    print(json.dumps({"files": answers, "classes": classes.classes, "samples": [p for p, _ in classes.samples]}))


main()
