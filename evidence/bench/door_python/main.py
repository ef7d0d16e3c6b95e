"""Measures the Python package for the table doors; door_go/main.go explains the arguments and the output."""

import json
import sys
import time

import numpy as np

import inpoly

REPETITIONS = 15
LIMIT = 2
SINGLES = 100_000
WARM = 10  # calls of small arrays that do not count
FEW = (1, 10, 1000)  # points of small arrays


def median(call):
    """Return the median of the CPU seconds of repeated calls. The first call does not count."""
    times = []
    begin = time.process_time()
    while len(times) < 2 or (len(times) <= REPETITIONS and time.process_time() - begin < LIMIT):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    times = sorted(times[1:])
    return times[len(times) // 2]


def main(path, file, out, threads):
    """Measure one mesh."""
    points = np.fromfile(file, "<f8").reshape(-1, 3)
    narrow = points.astype(np.float32)
    start = time.process_time()
    solid = inpoly.open(path, workers=int(threads), expected_points=len(points), warn=False)
    build = time.process_time() - start
    sides = np.empty(len(points), np.int8)
    with open(out, "wb") as f:
        double = median(lambda: solid.sides(points, out=sides))
        sides.tofile(f)
        single = median(lambda: solid.sides(narrow, out=sides))
        sides.tofile(f)
    some = [tuple(p) for p in points[:SINGLES].tolist()]
    start = time.process_time()
    for p in some:
        solid.contains(p)
    one = (time.process_time() - start) / len(some)
    few = []
    for n in FEW:
        arrays = [points[i : i + n] for i in range(0, max(1, len(some) - n), max(n, 10))]
        for a in arrays[:WARM]:
            solid.sides(a)
        start = time.process_time()
        for a in arrays:
            solid.sides(a)
        few.append((time.process_time() - start) / len(arrays))
    times = {
        "build": build, "float64": double, "float32": single, "one": one, "few": few, "version": inpoly.__version__
    }
    print(json.dumps(times))


if __name__ == "__main__":
    main(*sys.argv[1:])
