"""The driver of the Python package: driver.py JOB ANSWERS; package job describes both files."""

import sys

import numpy as np

import inpoly

CODES = {
    inpoly.ArgumentError: 1,
    inpoly.OptionError: 3,
    inpoly.FileError: 4,
    FileNotFoundError: 4,
    PermissionError: 4,
    inpoly.FormatError: 5,
    inpoly.MeshError: 6,
    inpoly.TooLargeError: 7,
}

CHUNK = {".f64": "<f8", ".f32": "<f4", ".u32": "<u4", ".i32": "<i4"}


def load(path):
    """Return the rows of three numbers of a file."""
    return np.fromfile(path, CHUNK[path[-4:]]).reshape(-1, 3)


def load_mesh(vertices, faces):
    """Return the arguments of inpoly.Solid."""
    if faces == "-":
        return (load(vertices).reshape(-1, 3, 3),)
    return load(vertices), load(faces)


def open_solid(how, method, rule, orient, tolerance, epsilon, workers, split, *sources):
    """Open a solid as the step open says."""
    options = {
        "method": method,
        "rule": rule,
        "orient": orient,
        "tolerance": float(tolerance),
        "epsilon": float(epsilon),
        "workers": int(workers),
        "warn": False,
    }
    if how == "arrays":
        meshes = [load_mesh(*sources[i : i + 2]) for i in range(0, len(sources), 2)]
        if len(meshes) == 1:
            return inpoly.Solid(*meshes[0], **options)
        return inpoly.Assembly([m if len(m) == 2 else m[0] for m in meshes], **options)
    options["split_bodies"] = split == "1"
    if how == "memory":
        with open(sources[0], "rb") as f:
            return inpoly.open(f.read(), name=sources[0], **options)
    return inpoly.open(sources[0] if len(sources) == 1 else list(sources), **options)


def laid_out(points, step):
    """Return the same points in one of several layouts."""
    if step % 4 == 1:
        return np.asfortranarray(points)
    if step % 4 == 2:
        wide = np.zeros((len(points), 5), points.dtype)
        wide[:, 1:4] = points
        return wide[:, 1:4]
    if step % 4 == 3 and points.dtype == np.float64:
        return points.tolist()
    return points


def answers(solid, points, step, arguments):
    """Return the arrays of the answers of a step."""
    if step == "sides":
        return [solid.sides(points)]
    if step == "single":
        some = [points[i] for i in range(int(arguments[0]))]
        return [np.array([solid.sides(p) for p in some], np.int8)]
    if step == "windings":
        return solid.winding(points)
    if step == "distances":
        both = solid.locate(points, "distance", "distance_bound")
        assert np.array_equal(both["distance"], solid.distance(points), equal_nan=True)
        return both.values()
    if step == "nearest":
        return solid.nearest(points)[:3]
    if step == "hits":
        starts = np.asarray(points)
        return solid.first_hits(points, ends=np.roll(starts, -1, axis=0))
    if step == "locate":
        names = ("side", "winding", "winding_bound", "distance", "distance_bound", "nearest", "face", "nearest_body", "body")
        return solid.locate(points, *names, which=arguments[0]).values()
    raise ValueError(f"no such step: {step}")


TYPES = (np.int8, np.int32, np.float64)


def main(job, out):
    """Do all steps of a job."""
    solid = points = None
    with open(job, encoding="utf-8") as f, open(out, "wb") as output:
        for number, line in enumerate(f):
            step, *arguments = line.rstrip("\n").split("\t")
            if step == "open":
                solid, code = None, 0
                try:
                    solid = open_solid(*arguments)
                except tuple(CODES) as error:
                    code = next(CODES[c] for c in type(error).__mro__ if c in CODES)
                np.int32(code).tofile(output)
            elif step == "pose":
                for path in arguments if solid is not None else []:
                    poses = np.fromfile(path, "<f8").reshape(-1, 7)
                    solid = solid.at(inpoly.Pose(poses[:, :4], poses[:, 4:]))
            elif step == "points":
                points = load(arguments[0])
            elif solid is not None:
                for array in answers(solid, laid_out(points, number), step, arguments):
                    assert array.dtype in TYPES and array.flags.c_contiguous
                    array.tofile(output)


if __name__ == "__main__":
    main(*sys.argv[1:])
