"""Solids are pickled with the path of their file, or with their arrays."""

import copy
import gc
import pickle
import shutil
import weakref

import numpy as np
import pytest
from conftest import DATA

import inpoly


def same(a, b, points):
    x = a.locate(points, "side", "winding", "distance", "face", "body")
    y = b.locate(points, "side", "winding", "distance", "face", "body")
    return all(np.array_equal(x[k], y[k], equal_nan=x[k].dtype.kind == "f") for k in x) and a.names == b.names


def test_path(tmp_path, points, monkeypatch):
    path = tmp_path / "part.stl"
    shutil.copy(DATA / "knot.stl", path)
    monkeypatch.chdir(tmp_path)
    solid = inpoly.open("part.stl", tolerance=0.25, rule="evenodd")
    data = pickle.dumps(solid)
    assert len(data) < 2000
    monkeypatch.chdir("/")
    again = pickle.loads(data)
    assert type(again) is inpoly.Solid and same(solid, again, points)
    assert len(pickle.dumps(again)) == len(data)
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(content)
    with pytest.raises(inpoly.FileError, match="has changed"):
        pickle.loads(data)
    with pytest.raises(inpoly.FileError, match="has changed"):
        pickle.dumps(solid)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(data)


def test_arrays(knot, points):
    solid = inpoly.Solid(knot.vertices, knot.faces, name="part", tolerance=0.5)
    again = pickle.loads(pickle.dumps(solid))
    assert same(solid, again, points)
    read = inpoly.open((DATA / "knot.stl").read_bytes(), name="x.stl")
    assert same(read, pickle.loads(pickle.dumps(read)), points)


def test_turned_faces(knot, points):
    """Faces that were turned over stay so."""
    faces = knot.faces
    faces[::7] = faces[::7, ::-1]
    solid = inpoly.Solid(knot.vertices, faces, warn=False)
    assert same(solid, pickle.loads(pickle.dumps(solid)), points)


def test_assemblies(points, tmp_path):
    files = [DATA / "tasks" / "north.obj", DATA / "tasks" / "south.obj"]
    ores = inpoly.open(files)
    p = np.random.default_rng(2).uniform(*ores.bounds, (1000, 3))
    again = pickle.loads(pickle.dumps(ores))
    assert type(again) is inpoly.Assembly and same(ores, again, p)
    ores = inpoly.Assembly({"a": inpoly.open(files[0]), "b": inpoly.open(files[1])})
    assert same(ores, pickle.loads(pickle.dumps(ores)), p)
    path = tmp_path / "both.obj"
    one = files[0].read_text()
    path.write_text("o one\n" + one + "o two\n" + one)
    for split in (inpoly.open(path, split_bodies=True, warn=False), inpoly.open(path.read_bytes(), split_bodies=True, warn=False)):
        again = pickle.loads(pickle.dumps(split))
        assert type(again) is inpoly.Assembly and same(split, again, p)


class Part(inpoly.Solid):
    """A class of a user, with attributes."""


def test_copies_are_the_solid():
    """A solid is immutable, so its copies are the solid itself, also in a container and at a pose."""
    files = [DATA / "tasks" / "north.obj", DATA / "tasks" / "south.obj"]
    one = inpoly.open(files[0])
    part = Part([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], warn=False)
    part.label = ["a"]
    for solid in (one, inpoly.open(files), inpoly.Assembly([one, one]), one.at(translation=(1, 2, 3)), part):
        assert copy.copy(solid) is solid and copy.deepcopy(solid) is solid
        again = copy.deepcopy({"solid": solid, "list": [solid, solid]})
        assert again["solid"] is solid and again["list"][1] is solid
        assert weakref.ref(copy.copy(solid))() is solid


def test_copies_of_changed_and_missing_files(tmp_path):
    """A copy needs no file, other than pickle."""
    path = tmp_path / "part.stl"
    shutil.copy(DATA / "knot.stl", path)
    solid = inpoly.open(path)
    path.unlink()
    assert copy.deepcopy(solid).contains((4, 10, -3))
    with pytest.raises(FileNotFoundError):
        pickle.dumps(solid)


def test_copies_close_together():
    solid = inpoly.Solid([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], warn=False)
    again = copy.copy(solid)
    with copy.deepcopy(solid) as third:
        assert third is solid
    for s in (solid, again, copy.copy(again)):  # a closed solid can be copied
        with pytest.raises(inpoly.ClosedError):
            s.contains((0, 0, 0))
    reference = weakref.ref(solid)
    del solid, again, third, s
    gc.collect()
    assert reference() is None


def test_closed():
    solid = inpoly.Solid([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], warn=False)
    solid.close()
    with pytest.raises(inpoly.ClosedError):
        pickle.dumps(solid)
