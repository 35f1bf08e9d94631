"""Writes arrays as NumPy writes them, and what their samples are as float32, for the npy source to be compared with."""

import json
import os
import sys

import numpy as np

request = json.load(sys.stdin)
folder = request["folder"]
generator = np.random.default_rng(request["seed"])
cases = []
names = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
for number, dtype in enumerate(order + name for name in names for order in ("<", ">")):
    for rank, shape in enumerate([(7,), (7, 5), (7, 4, 3), (7, 3, 4, 5), (7, 6, 5, 3)]):
        kind = np.dtype(dtype).kind
        values = generator.normal(size=shape) * 50 if kind == "f" else generator.integers(0, 2 if kind == "b" else 100, shape)
        if kind == "i":
            values = values - 50
        x = np.asarray(values).astype(dtype)
        if (number + rank) % 3 == 0:
            x = np.asfortranarray(x)
        y = generator.integers(0, 4, 7)
        name = "case-%d-%d" % (number, rank)
        how = ("npz", "deflated", "files", "versions")[(number + 2 * rank) % 4]
        place = os.path.join(folder, name + (".npz" if how in ("npz", "deflated") else ""))
        if how == "npz":
            np.savez(place, x=x, y=y)
        elif how == "deflated":
            np.savez_compressed(place, x=x, y=y)
        else:
            os.mkdir(place)
            for part, array in (("x", x), ("y", y)):
                with open(os.path.join(place, part + ".npy"), "wb") as file:
                    version = None if how == "files" else ((2, 0) if rank % 2 else (3, 0))
                    np.lib.format.write_array(file, array, version=version)
        seen = x[:, None] if x.ndim in (1, 3) else x
        if x.ndim == 4 and x.shape[3] == 3:
            seen = x.transpose(0, 3, 1, 2)
        with np.errstate(over="ignore"):
            expected = seen.astype(np.float32)
        if dtype[1:] == "u1":
            expected = expected / np.float32(255)
        cases.append({"path": place, "dtype": dtype, "dims": list(seen.shape[1:]), "labels": y.tolist()})
        np.ascontiguousarray(expected).astype("<f4").tofile(os.path.join(folder, name + ".expected"))
        cases[-1]["expected"] = os.path.join(folder, name + ".expected")
print(json.dumps(cases))
