"""Opening, options, errors and descriptions."""

import gzip
import io
import os
import pickle
import warnings
import zipfile
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from conftest import DATA

import inpoly
from inpoly._types import Method

V = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
F = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.fixture(scope="module")
def box_points():
    return np.random.default_rng(1).uniform(-0.5, 1.5, (500, 3))


@pytest.mark.parametrize("faces", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u2", ">i8"])
@pytest.mark.parametrize("vertices", ["f8", "f4", ">f8", "f2", "i8", "u1"])
def test_arrays(box_points, vertices, faces):
    want = inpoly.Solid(V, F).sides(box_points)
    assert set(want) == {1, 3}
    for order in "CF":
        v, f = np.array(V, vertices, order=order), np.array(F, faces, order=order)
        assert np.array_equal(inpoly.Solid(v, f).sides(box_points), want)
    wide = np.zeros((4, 5), vertices)
    wide[:, :3] = V
    assert np.array_equal(inpoly.Solid(wide[:, :3], np.repeat(f, 2, axis=0)[::2]).sides(box_points), want)


def test_other_inputs(box_points):
    want = inpoly.Solid(V, F).sides(box_points)
    assert np.array_equal(inpoly.Solid(V.tolist(), F.tolist()).sides(box_points), want)
    assert np.array_equal(inpoly.Solid(V[F]).sides(box_points), want)
    assert np.array_equal(inpoly.Solid(inpoly.Solid(V, F)).sides(box_points), want)
    v = V.copy()
    solid = inpoly.Solid(v, F)
    v[:] = 7
    assert np.array_equal(solid.sides(box_points), want)


@pytest.mark.parametrize(
    ("vertices", "faces", "error", "text"),
    [
        (V, F + 1, inpoly.MeshError, "4"), (V, -F, inpoly.MeshError, "-1|−1|index"), (V * np.nan, F, inpoly.MeshError, ""),
        (V + np.inf, F, inpoly.MeshError, ""), (V, F.astype(float), TypeError, "integers"), (V, F[:, :2], ValueError, "three"),
        (V, np.zeros((2, 4), int), ValueError, "quadrilaterals"), (V, F.ravel(), ValueError, "PyVista"),
        (V[:, :2], F, ValueError, "^vertices"), (V.ravel(), F, ValueError, "^vertices"), (V.astype(str), F, TypeError, "^vertices"),
        (V, None, ValueError, r"\(F, 3, 3\)"), (V, F.astype(bool), TypeError, "integers"), (V, "x", ValueError, "faces"),
        ([[0, 0, 2**60]], [[0, 0, 0]], ValueError, "beyond"), (V, np.array([[0, 1, 2**40]]), inpoly.MeshError, ""),
        (V, np.array([[0, 1, 2**64 - 1]], np.uint64), inpoly.MeshError, ""), (None, None, TypeError, "NoneType"),
        ("knot.stl", None, TypeError, r"use inpoly.open\(path\)"), (DATA / "knot.stl", None, TypeError, "use inpoly.open"),
        (object(), None, TypeError, "type object"), (V, np.ma.array(F, mask=F == 1), inpoly.MeshError, "masked"),
        (np.ma.array(V[F], mask=V[F] == 1), None, inpoly.MeshError, ""),
        (np.ma.array(V, mask=V == 1), F, inpoly.MeshError, ""),
    ],
)  # fmt: skip
def test_bad_arrays(vertices, faces, error, text):
    with pytest.raises(error, match=text):
        inpoly.Solid(vertices, faces)


def test_files(knot, tmp_path):
    path = DATA / "knot.stl"
    data = path.read_bytes()
    for mesh in (str(path), data, bytearray(data), memoryview(data), io.BytesIO(data), gzip.compress(data)):
        assert inpoly.open(mesh).mesh().faces.shape == knot.faces.shape
    with path.open("rb") as f:
        assert inpoly.open(f).names == ["knot"]
    assert inpoly.open(data, name="part.stl").names == ["part"]
    strange = tmp_path / "größe μ \udcff.stl" if os.name == "posix" else tmp_path / "größe μ.stl"
    strange.write_bytes(data)
    assert inpoly.open(strange).is_closed
    several = inpoly.open([path, str(DATA / "tasks/hall.obj"), path])
    assert isinstance(several, inpoly.Assembly)
    assert several.names == ["knot", "hall", "knot_2"] and len(several) == 3


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        inpoly.open(tmp_path / "no.stl")
    with pytest.raises(FileNotFoundError):
        inpoly.open([DATA / "knot.stl", tmp_path / "no.stl"])
    with pytest.raises(IsADirectoryError):
        inpoly.open(tmp_path)
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 0\nf 1 2 3\n")
    with pytest.raises(inpoly.FormatError, match=r"bad\.obj.*2"):
        inpoly.open(bad)
    with pytest.raises(inpoly.FormatError):
        inpoly.open(b"nothing")
    with pytest.raises(inpoly.FormatError):
        inpoly.open(b"")
    content = (DATA / "knot.stl").read_bytes()
    with pytest.raises(inpoly.FormatError, match='name="part.stl"'):
        inpoly.open(content[:300])
    with pytest.raises(inpoly.FormatError, match="^x.stl: (?!.*bytes are)"):
        inpoly.open(content[:300], name="x.stl")
    with pytest.raises(inpoly.FormatError, match="not a path"):
        inpoly.open(os.fsencode(DATA / "knot.stl"))
    for mesh, error in [
        ([], ValueError), ([1], TypeError), (3, TypeError), (None, TypeError), (io.StringIO("x"), TypeError),
        ([b"x"], TypeError), ("a\0b", ValueError), (V, TypeError),
    ]:  # fmt: skip
        with pytest.raises(error):
            inpoly.open(mesh)
    with pytest.raises(ValueError, match="name"):
        inpoly.open(DATA / "knot.stl", name="x")
    (tmp_path / "zeros.gz").write_bytes(gzip.compress(bytes(300_000_000), 1))
    with pytest.raises((inpoly.TooLargeError, inpoly.FormatError)):
        inpoly.open(tmp_path / "zeros.gz")


@pytest.mark.parametrize(
    "options",
    [
        {"rule": "odd"}, {"method": "best"}, {"orient": "x"}, {"rule": None}, {"rule": b"evenodd"}, {"rule": "a\0b"},
        {"tolerance": -1}, {"tolerance": np.nan}, {"tolerance": "x"}, {"epsilon": -1.0}, {"epsilon": np.inf},
        {"weld": -1}, {"weld": np.nan}, {"weld": "1"},
        {"workers": -1}, {"workers": 2**32 + 1}, {"workers": 1.5}, {"seed": -1}, {"seed": 2**64}, {"max_memory": -5},
        {"tolerance": "1"}, {"tolerance": b"1"}, {"tolerance": True}, {"tolerance": np.array([1.0])}, {"epsilon": 10**400},
        {"workers": True}, {"seed": "1"}, {"expected_points": -1}, {"expected_points": 2**70}, {"expected_points": "many"},
    ],
    ids=repr,
)  # fmt: skip
def test_bad_options(options):
    with pytest.raises(inpoly.OptionError):
        inpoly.Solid(V, F, **options)
    with pytest.raises(inpoly.OptionError):
        inpoly.open(DATA / "knot.stl", **options)
    with pytest.raises(inpoly.OptionError):
        inpoly.Assembly([(V, F)], **options)


def test_options(box_points):
    solid = inpoly.Solid(V, F)
    want = solid.sides(box_points)
    for method in get_args(Method):
        assert np.array_equal(inpoly.Solid(V, F, method=method, seed=5, workers=2).sides(box_points), want)
    near = inpoly.Solid(V, F, tolerance=np.float32(0.25), expected_points=1e6).sides(box_points)
    assert np.array_equal(near == inpoly.Side.ON_SURFACE, np.abs(solid.distance(box_points)) <= 0.25)
    inward = inpoly.Solid(V, F[:, ::-1], rule="positive", orient="never", warn=False)
    assert not inward.contains(box_points).any()
    assert np.array_equal(inpoly.Solid(V, F[:, ::-1], rule="negative", orient="never").sides(box_points), want)
    with pytest.raises(TypeError):
        inpoly.Solid(V, F, tolerances=1)


def seamed_torus(radius=0.4, nu=48, nv=24):
    """A torus whose seams differ by rounding, like the one of three.js."""
    u, v = np.meshgrid(np.arange(nu + 1) / nu * 2 * np.pi, np.arange(nv + 1) / nv * 2 * np.pi)
    r = 1 + radius * np.cos(v)
    vertices = np.stack([r * np.cos(u), r * np.sin(u), radius * np.sin(v)], axis=-1).reshape(-1, 3).astype(np.float32)
    a = (np.arange(nv)[:, None] * (nu + 1) + np.arange(nu)).ravel()
    b, c, d = a + 1, a + nu + 2, a + nu + 1
    return vertices, np.concatenate([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)])


def test_weld():
    vertices, faces = seamed_torus()
    with pytest.warns(inpoly.MeshWarning, match=r"weld=\S+ closes the mesh"):
        inpoly.Solid(vertices, faces)
    with pytest.warns(inpoly.MeshWarning, match="joined 73 vertices"):
        solid = inpoly.Solid(vertices, faces, weld=1e-6)
    assert solid.is_closed
    assert solid.report().solids[0]["welding"]["joined"] == 73
    points = np.random.default_rng(1).uniform(-1.5, 1.5, (10_000, 3))
    distance = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1, points[:, 2]) - 0.4
    far = np.abs(distance) > 0.02
    assert np.array_equal(solid.contains(points)[far], distance[far] < 0)
    assert not inpoly.Assembly([(vertices, faces)], warn=False).is_closed
    assert inpoly.Assembly([(vertices, faces)], weld=1e-6, warn=False).is_closed


def test_warnings():
    with pytest.warns(inpoly.MeshWarning, match="open edges") as caught:
        solid = inpoly.Solid(V, F[1:])
    assert [w.filename for w in caught] == [__file__]
    assert solid.warnings == [str(w.message) for w in caught]
    with pytest.warns(inpoly.MeshWarning) as caught:
        inpoly.open(DATA / "tasks" / "open.stl")
    assert caught[0].filename == __file__
    assert str(caught[0].message).startswith(f"{DATA / 'tasks' / 'open.stl'}: the mesh is not closed")
    with pytest.warns(inpoly.MeshWarning) as caught:
        inpoly.Assembly([(V, F[1:]), (V, F)])
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        inpoly.Solid(V, F)
        inpoly.Solid(V, F[1:], warn=False)


def test_report():
    solid = inpoly.Solid(V, F[1:], name="tent", warn=False)
    report = solid.report()
    assert report.defects and report.names == ["tent"] == solid.names
    assert report.solids[0]["diagnosis"]["boundaryEdges"] == 3
    assert report.to_dict()["solids"] == report.solids
    explanation = solid.explain((0.1, 0.1, 0.1))[0]
    assert explanation["name"] == "tent" and explanation["because"]
    for bad in ([[0, 0, 0]], (1, 2), []):
        with pytest.raises(ValueError):
            solid.explain(bad)


def test_descriptions(knot):
    vertices, faces = knot.mesh()
    assert np.array_equal(knot.vertices, vertices) and np.array_equal(knot.faces, faces)
    assert np.array_equal(knot.bounds, [vertices.min(axis=0), vertices.max(axis=0)])
    assert vertices.dtype == np.float64 and faces.dtype == np.int32
    assert knot.is_closed and len(knot) == 1 and bool(knot)
    assert repr(knot) == "<inpoly.Solid: 5,184 faces, closed surface>"
    tent = inpoly.Solid(V, F[1:], warn=False)
    assert not tent.is_closed and "open" in repr(tent)
    for i in (-1, 1):
        with pytest.raises(IndexError):
            knot.mesh(i)


def test_assembly(knot, box_points):
    moved = (V + [0.25, 0, 0], F)
    both = inpoly.Assembly({"one": (V, F), "two": moved})
    assert both.names == ["one", "two"] and len(both) == 2
    one, two = inpoly.Solid(V, F), inpoly.Solid(*moved)
    a, b = one.contains(box_points), two.contains(box_points)
    assert np.array_equal(both.contains(box_points), a | b)
    assert np.array_equal(both.body(box_points, "count"), a.astype(int) + b)
    assert np.array_equal(both.body(box_points), np.where(a, 0, np.where(b, 1, -1)))
    assert both.faces.max() == len(both.vertices) - 1 and len(both.faces) == 8
    assert np.array_equal(both.bounds, [[0, 0, 0], [1.25, 1, 1]])
    same = inpoly.Assembly([one, two])
    assert same.names == ["body_1", "body_2"]
    assert np.array_equal(same.sides(box_points), both.sides(box_points))
    assert len(inpoly.Assembly([V[F], knot, V[F].tolist()])) == 3
    for bad, error in [([], ValueError), ([3], TypeError), (3, TypeError), ([(V,)], ValueError), ({"x": (V, F + 9)}, ValueError), (["a.stl"], TypeError)]:
        with pytest.raises(error):
            inpoly.Assembly(bad)


@pytest.mark.parametrize("meshes", [3, None, object()])
def test_what_is_no_assembly(meshes):
    with pytest.raises(TypeError, match="expected a mapping of names to meshes, or a list of meshes"):
        inpoly.Assembly(meshes)


def test_split_bodies(tmp_path):
    lines = ["o first", *(f"v {x} {y} {z}" for x, y, z in V), *(f"f {a} {b} {c}" for a, b, c in F + 1)]
    lines += ["o second", *(f"v {x + 5} {y} {z}" for x, y, z in V), *(f"f {a} {b} {c}" for a, b, c in F + 5)]
    path = tmp_path / "two.obj"
    path.write_text("\n".join(lines))
    two = inpoly.open(path, split_bodies=True)
    assert isinstance(two, inpoly.Assembly) and two.names == ["two/first", "two/second"]
    assert two.body([[0.1, 0.1, 0.1], [5.1, 0.1, 0.1]]).tolist() == [0, 1]
    near = two.nearest([[5.1, 0.1, -1]])
    assert (near.faces.tolist(), near.bodies.tolist()) == ([4], [1])  # the number of the face in the file
    assert len(inpoly.open(path)) == 1


def test_parts(tmp_path):
    vertices = "".join(f'<vertex x="{x}" y="{y}" z="{z}"/>' for x, y, z in V)
    triangles = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in F)
    rels = (
        '<Relationships><Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" '
        'Target="/3D/m.model"/></Relationships>'
    )
    model = (
        f'<model><resources><object id="1"><mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>'
        '</object><object id="2"><components><component objectid="1"/>'
        '<component objectid="1" transform="1 0 0 0 1 0 0 0 1 5 0 0"/></components></object></resources>'
        '<build><item objectid="2"/></build></model>'
    )
    path = tmp_path / "m.3mf"

    def write(subtype):
        parts = f'<part id="1" subtype="normal_part"/><part id="1" subtype="{subtype}"/>'
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("_rels/.rels", rels)
            z.writestr("3D/m.model", model)
            z.writestr("Metadata/model_settings.config", f'<config><object id="2">{parts}</object></config>')

    inside = [[0.1, 0.1, 0.1], [5.1, 0.1, 0.1]]
    write("modifier_part")
    with pytest.warns(inpoly.MeshWarning, match="left out 1 modifier part"):
        assert inpoly.open(path).contains(inside).tolist() == [True, False]
    assert inpoly.open(path, parts="all", warn=False).contains(inside).tolist() == [True, True]
    copy = pickle.loads(pickle.dumps(inpoly.open(path, parts="all", warn=False)))
    assert copy.contains(inside).tolist() == [True, True]
    write("negative_part")
    with pytest.raises(inpoly.FormatError, match='negative parts: 1 part .* option parts with the value "all"'):
        inpoly.open(path)
    assert inpoly.open(path, parts="all", warn=False).contains(inside).tolist() == [True, True]
    with pytest.raises(inpoly.OptionError, match="unknown parts"):
        inpoly.open(path, parts="some")


def test_closed():
    solid = inpoly.Solid(V, F)
    solid.contains((0.1, 0.1, 0.1))
    with solid as same:
        assert same is solid
    solid.close()
    p = np.zeros((2000, 3))
    calls = [
        lambda: solid.contains((0.1, 0.1, 0.1)), lambda: solid.sides(p), lambda: solid.sides(p[:1]), lambda: solid.winding(p),
        lambda: solid.distance(p), lambda: solid.nearest(p), lambda: solid.body(p), lambda: solid.locate(p), lambda: solid.report(),
        lambda: solid.explain(p[0]), lambda: solid.vertices, lambda: solid.faces, lambda: solid.bounds, lambda: len(solid),
        lambda: solid.names, lambda: solid.is_closed, lambda: solid.sides([]), lambda: solid.mesh(),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(inpoly.ClosedError, match="closed"):
            call()
    assert "closed" in repr(solid)


def test_progress(knot, points):
    for call in (
        lambda f: inpoly.open(DATA / "knot.stl", progress=f),
        lambda f: inpoly.Solid(knot.vertices, knot.faces, progress=f),
        lambda f: knot.report(progress=f),
        lambda f: knot.sides(points, progress=f),
    ):
        seen = []
        call(lambda *a: seen.append(a))
        assert all(isinstance(s, str) and 0 <= d for s, d, _ in seen)
    assert seen[-1] == ("locate", len(points), len(points))
    slow = inpoly.open(DATA / "knot.stl", method="direct")
    many = np.tile(points, (400, 1))

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    with pytest.raises(Stop):
        slow.sides(many, progress=stop)
    with pytest.raises(inpoly.CanceledError):
        slow.winding(many, progress=lambda *_: False)
    assert np.array_equal(slow.sides(points), knot.sides(points))


def test_relative_path(tmp_path, monkeypatch):
    monkeypatch.chdir(DATA)
    assert inpoly.open("knot.stl").is_closed
    assert inpoly.open(Path("knot.stl")).is_closed


def test_refit():
    """A refitted solid has the answers of a new one, shares its type and options, and keeps a pose."""
    knot = inpoly.open(DATA / "knot.stl", method="cells")
    moved = knot.vertices
    moved[:40] += 0.03125
    points = np.random.default_rng(3).uniform(*knot.bounds, (2000, 3))
    refitted, new = knot.refit(moved), inpoly.Solid(moved, knot.faces, method="cells", warn=False)
    for name in ("side", "distance", "face"):
        assert (refitted.locate(points, name)[name] == new.locate(points, name)[name]).all()
    assert (refitted.vertices == moved).all() and (knot.vertices != moved).any()
    assert (knot.refit(knot.vertices).sides(points) == knot.sides(points)).all()
    posed = knot.at(translation=(100, 0, 0)).refit(moved)
    assert (posed.sides(points + (100, 0, 0)) == new.sides(points)).all() and posed.pose.translation[0] == 100
    again = pickle.loads(pickle.dumps(refitted))
    assert (again.sides(points) == refitted.sides(points)).all()
    pair = inpoly.Assembly({"a": knot, "b": refitted})
    both = np.concatenate([pair.vertices, pair.vertices])[: len(pair.vertices)] + (1, 0, 0)
    assert type(pair.refit(both)) is inpoly.Assembly and pair.refit(both).names == pair.names
    assert (pair.refit(both).sides(points + (1, 0, 0)) == pair.sides(points)).mean() > 0.99
    with pytest.raises(inpoly.ArgumentError, match="vertices"):
        knot.refit(moved[:-1])
    with pytest.raises(inpoly.MeshError):
        knot.refit(moved * np.nan)
    with pytest.raises(ValueError):
        knot.refit([1.0, 2.0, 3.0])
    knot.close()
    with pytest.raises(inpoly.ClosedError):
        knot.refit(moved)
