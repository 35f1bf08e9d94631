"""Writes random tables with Python's csv module, and says what their columns hold and what training should see of them, by numpy alone."""
import csv
import io
import json
import os
import random
import sys

import numpy as np

request = json.load(sys.stdin)


def number(rng, style):
    value = rng.choice([rng.gauss(0, 1), rng.uniform(-1e6, 1e6), rng.randint(-50, 50), rng.gauss(0, 1e-8)])
    text = repr(value)
    return (text, value) if style == "." else (text.replace(".", ","), value)


def make(folder, seed):
    rng = random.Random(seed)
    delimiter = rng.choice([",", ";", "\t", "|"])
    decimal = "," if delimiter != "," and rng.random() < 0.4 else "."
    rows = rng.choice([40, 300, 5000])
    kinds = ["number", "category", *rng.choices(["number", "whole", "category", "text"], k=rng.randint(1, 5))]
    names = [f"{kind} {at}" if rng.random() < 0.5 else f'a"{delimiter}{at}' for at, kind in enumerate(kinds)]
    names = [*names, "target"]
    labels = ["ja", "nein", "weiß nicht"][: rng.choice([2, 3])]
    words = ["rot", "grün", f"b{delimiter}lau", 'ge"lb', "NA", "?", "two\nlines"]
    columns, values = [], []
    for kind in kinds:
        texts, own = [], []
        pool = rng.sample(words, rng.randint(2, len(words)))
        for row in range(rows):
            if rng.random() < 0.05:
                texts.append("" if kind in ("category", "text") else rng.choice(["", "NA", "nan", "?"]))
                own.append(None)
            elif kind == "number":
                text, value = number(rng, decimal)
                texts.append(text)
                own.append(value)
            elif kind == "whole":
                value = rng.randint(0, 9)
                texts.append(str(value))
                own.append(value)
            else:
                value = rng.choice(pool)
                texts.append(value)
                own.append(value)
        columns.append(texts)
        values.append(own)
    targets = [labels[row % len(labels)] for row in range(rows)]
    columns.append(targets)
    out = io.StringIO(newline="")
    writer = csv.writer(
        out,
        delimiter=delimiter,
        lineterminator=rng.choice(["\n", "\r\n"]),
        quoting=rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    )
    writer.writerow(names)
    writer.writerows(zip(*columns))
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
    path = os.path.join(folder, f"table {seed}.csv")
    with open(path, "w", encoding=encoding, newline="") as file:
        file.write(out.getvalue())
    return {"path": path, "names": names, "kinds": kinds, "values": values, "targets": targets, "encoding": encoding, "delimiter": delimiter}


def statistics(kind, values):
    present = [value for value in values if value is not None]
    if kind in ("number", "whole"):
        array = np.array(present, dtype=np.float64)
        return {
            "count": len(present),
            "distinct": len(np.unique(array)),
            "mean": array.mean(),
            "std": array.std(),
            "median": float(np.median(array)),
            "min": array.min(),
            "max": array.max(),
            "histogram": np.histogram(array, bins=20)[0].tolist(),
        }
    return {"count": len(present), "distinct": len(set(present))}


def encoded(table, train):
    """Rows as float32: z-scores by the rows that train, one column a category that they have."""
    parts = []
    for kind, values in zip(table["kinds"], table["values"]):
        if kind in ("number", "whole"):
            array = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
            fitted = array[train]
            fitted = fitted[~np.isnan(fitted)]
            std = fitted.std()
            scaled = (array - fitted.mean()) / (std if std > 0 else 1.0)
            parts.append(np.nan_to_num(scaled, nan=0.0)[:, None])
        else:
            seen = {values[row] for row in train} - {None}
            names = sorted(seen)
            parts.append(np.array([[float(value == name) for name in names] for value in values]).reshape(len(values), len(names)))
    return np.concatenate(parts, axis=1).astype(np.float32)


if "seeds" in request:
    tables = [make(request["folder"], seed) for seed in request["seeds"]]
    for table in tables:
        table["statistics"] = [statistics(kind, values) for kind, values in zip(table["kinds"], table["values"])]
    print(json.dumps(tables))
else:
    expected = encoded(request["table"], np.array(request["train"], dtype=np.int64))
    expected.tofile(request["out"])
    print(json.dumps(list(expected.shape)))
