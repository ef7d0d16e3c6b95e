#!/usr/bin/env python3
"""Checks a proof file of inpoly: python3 check.py FILE [--source MESH] [--seconds S]

A proof file contains a triangle mesh and answers about points: the side of each point, its winding
number W, and its nearest face. This program accepts the file only if every answer follows from
the mesh. It needs Python 3.9 or newer, and nothing else. docs/proofs.md describes the file and
says why the tests below suffice.

All geometry is in integers: float64 coordinates are multiples of 2**-scale, so the program stores
x * 2**scale. No float is ever added or multiplied. Only equal scales are combined, so signs,
comparisons and ratios of lengths are those of the float64 coordinates.

Exit code: 0 accepted, 1 refused, 2 wrong usage, 3 accepted, but some points have no proof.
"""
import hashlib
import json
import math
import re
import struct
import sys
import time
from fractions import Fraction

MAX_LINE = 1 << 24  # bytes of a line
MAX_SCALE = 1074  # every float64 is a multiple of 2**-1074
RULES = ("nonzero", "positive", "negative", "evenodd")


class Refused(Exception):
    """The file does not prove what it claims."""


def need(condition, reason):
    if not condition:
        raise Refused(reason)


# ---------------------------------------------------------------------------------------- reading

INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
FLOAT = re.compile(r"-?[0-9]{1,25}(\.[0-9]{1,25})?(e[+-][0-9]{1,3})?")


def integer(word, low, high):
    need(INTEGER.fullmatch(word), "expected an integer")
    n = int(word)
    need(low <= n <= high, "an integer is out of range")
    return n


def float64(word):
    need(FLOAT.fullmatch(word), "expected a number")
    x = float(word)  # correctly rounded
    need(math.isfinite(x), "a number is not finite")
    return x


def scaled(x, scale):
    """The integer x * 2**scale, for a float x."""
    n, d = x.as_integer_ratio()  # exact; d is a power of two
    need(d <= 1 << scale, "the scale is too small for a coordinate")
    return (n << scale) // d


class Lines:
    """The lines of a file, each as a list of words. A line ends with a line feed."""

    def __init__(self, file):
        self.file, self.number = file, 0

    def next(self):
        line = self.file.readline(MAX_LINE)
        self.number += 1
        need(line.endswith(b"\n"), "the line is too long, or the file ends early")
        try:
            return line[:-1].decode("ascii").split(" ")
        except UnicodeDecodeError:
            raise Refused("a character is not ASCII") from None

    def header(self, name, values=1):
        words = self.next()
        need(words[0] == name and len(words) == 1 + values, "expected the line " + name)
        return words[1] if values == 1 else words[1:]

    def table(self, name, width):
        """The rows of a table: the line "name N", then N lines of the given number of words."""
        for _ in range(integer(self.header(name), 0, 1 << 40)):
            words = self.next()
            need(len(words) == width, "expected %d words" % width)
            yield words


# ------------------------------------------------------------------------------------ exact vectors

def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


ZERO = (0, 0, 0)


def on_segment(p, a, b):
    u, v = sub(a, p), sub(b, p)
    return cross(u, v) == ZERO and dot(u, v) <= 0


def on_triangle(p, a, b, c):
    """Whether p lies on the closed triangle a, b, c, which can be a segment or a point."""
    u, v, w = sub(a, p), sub(b, p), sub(c, p)
    n = cross(sub(b, a), sub(c, a))
    if n == ZERO:
        return on_segment(p, a, b) or on_segment(p, b, c) or on_segment(p, c, a)
    return dot(u, n) == 0 and all(dot(cross(s, t), n) >= 0 for s, t in ((u, v), (v, w), (w, u)))


def crossing(p, d, a, b, c):
    """The crossing of the ray from p along d with a triangle that has an area: +1 along its normal
    (b-a)x(c-a), -1 against it, 0 if the ray misses the closed triangle. Refused if the line of the ray
    meets an edge or lies in the plane of the triangle, or if p lies on the triangle."""
    u, v, w = sub(a, p), sub(b, p), sub(c, p)
    vw = cross(v, w)
    s, t, r = dot(d, vw), dot(d, cross(w, u)), dot(d, cross(u, v))
    low, high = min(s, t, r), max(s, t, r)
    if low < 0 < high:
        return 0  # the line passes outside of an edge
    need(low > 0 or high < 0, "the ray meets an edge")
    ahead = dot(u, vw)  # the parameter of the crossing on the ray is ahead / (s + t + r)
    need(ahead != 0, "the point is on a face")
    return (1 if low > 0 else -1) if (ahead > 0) == (low > 0) else 0


def distance2(p, a, b, c):
    """The squared distance of p to a triangle, as numerator and denominator > 0."""
    u, v, w = sub(a, p), sub(b, p), sub(c, p)
    n = cross(sub(v, u), sub(w, u))
    if n != ZERO and all(dot(cross(s, t), n) >= 0 for s, t in ((u, v), (v, w), (w, u))):
        return dot(u, n) ** 2, dot(n, n)  # the foot of the perpendicular lies on the triangle
    best = None
    for s, t in ((u, v), (v, w), (w, u)):
        e = sub(t, s)
        along, length2 = -dot(s, e), dot(e, e)
        if 0 < along < length2:
            m = cross(s, e)
            found = dot(m, m), length2
        else:
            found = (dot(s, s) if along <= 0 else dot(t, t)), 1
        if best is None or found[0] * best[1] < best[0] * found[1]:
            best = found
    return best


# ------------------------------------------------------------------------------------- solid angles
# An angle is a pair of integers (low, high): it lies between low and high times 2**-bits.

def small_atan(n, d, bits):
    """atan(n/d) for |n/d| <= 1/16, by the series t - t^3/3 + t^5/5 - ... Rounding down makes an error
    below 2 units in each power of t, so below 3 units in each term, and below 2 in the tail."""
    q = (abs(n) << bits) // d
    square, power, total, k = q * q >> bits, q, 0, 0
    while power:
        total += (-1) ** k * (power // (2 * k + 1))
        power, k = power * square >> bits, k + 1
    slack = 3 * k + 4
    return (total - slack, total + slack) if n >= 0 else (-total - slack, -total + slack)


def add(*angles):
    return sum(a[0] for a in angles), sum(a[1] for a in angles)


TABLE = {}  # bits: the angles atan(k/16) for k = 0 ... 16


def table(bits):
    """atan(k/16) - atan((k-1)/16) = atan(16 / (256 + k(k-1)))."""
    if bits not in TABLE:
        rows = [(0, 0)]
        for k in range(1, 17):
            rows.append(add(rows[-1], small_atan(16, 256 + k * (k - 1), bits)))
        TABLE[bits] = rows
    return TABLE[bits]


def argument(x, y, bits):
    """The argument of x + iy for y > 0, between 0 and pi."""
    quarter = table(bits)[16]  # pi/4
    if x < 0:
        low, high = argument(-x, y, bits)
        return 4 * quarter[0] - high, 4 * quarter[1] - low
    if y > x:
        low, high = argument(y, x, bits) if x else (0, 0)
        return 2 * quarter[0] - high, 2 * quarter[1] - low
    k = (32 * y + x) // (2 * x)  # y/x is k/16 within 1/32
    return add(table(bits)[k], small_atan(16 * y - k * x, 16 * x + k * y, bits))


def half_angle(a, b, d, bits):
    """Half the solid angle of the triangle with the corners a, b and the point at infinity along d:
    the argument of den + i det (van Oosterom and Strackee 1983). Lengths are known between two
    integers, times 2**-bits."""
    det = dot(a, cross(b, d))
    la, lb, ld = (math.isqrt(dot(v, v) << 2 * bits) for v in (a, b, d))
    low, high = la * lb * ld, (la + 1) * (lb + 1) * (ld + 1)
    for c, length in ((dot(a, b), ld), (dot(b, d), la), (dot(d, a), lb)):
        low += (c * (length + (c < 0))) << 2 * bits
        high += (c * (length + (c >= 0))) << 2 * bits
    if det == 0:
        need(low > 0, "the ray meets an edge of the boundary")
        return 0, 0
    y = abs(det) << 3 * bits
    small, large = argument(high, y, bits)[0], argument(low, y, bits)[1]
    return (small, large) if det > 0 else (-large, -small)


def boundary_sum(edges, p, d, bits):
    """Bounds of (1/4 pi) times the sum of the solid angles of the boundary edges, for a ray along -d."""
    low = high = 0
    for a, b, times in edges:
        angle = half_angle(sub(a, p), sub(b, p), d, bits)
        ends = times * angle[0], times * angle[1]
        low, high = low + min(ends), high + max(ends)
    quarter = table(bits)[16]
    return (Fraction(low, 8 * quarter[1 if low > 0 else 0]), Fraction(high, 8 * quarter[0 if high > 0 else 1]))


def side_of(rule, low, high):
    """The side that follows from a winding number between low and high, or None."""
    half = Fraction(1, 2)
    if rule == "evenodd":
        n = math.floor(low + half)
        return ("out", "in")[n % 2] if n - half < low and high < n + half else None
    if low > half and rule != "negative" or high < -half and rule != "positive":
        return "in"
    if (high < half or rule == "negative") and (low > -half or rule == "positive"):
        return "out"
    return None


# --------------------------------------------------------------------------------------------- mesh

class Mesh:
    """The mesh of a file, with a tree of boxes over its faces."""

    def __init__(self, lines):
        need(lines.next() == ["inpoly-proof", "1"], "expected a proof file of version 1")
        words = lines.next()
        need(words[0] == "source" and len(words) > 3, "expected the line source")
        self.source = words[1], integer(words[2], 0, 1 << 60)
        try:
            self.name = json.loads(" ".join(words[3:]))
        except (ValueError, RecursionError):
            raise Refused("the name of the source is not a string") from None
        need(isinstance(self.name, str), "the name of the source is not a string")
        self.sha = lines.header("mesh")
        self.rule = lines.header("rule")
        need(self.rule in RULES, "unknown rule")
        self.scale = integer(lines.header("scale"), 0, MAX_SCALE)
        self.floats, vertices = [], []
        for words in lines.table("vertices", 3):
            xyz = tuple(float64(w) + 0.0 for w in words)  # -0 becomes 0
            self.floats.append(xyz)
            vertices.append(tuple(scaled(x, self.scale) for x in xyz))
        n = len(vertices)
        self.faces = [tuple(integer(w, 0, n - 1) for w in words) for words in lines.table("faces", 3)]
        self.flipped = {integer(words[0], 0, len(self.faces) - 1) for words in lines.table("flipped", 1)}
        dump = hashlib.sha256()
        for a, b, c in self.faces:
            dump.update(struct.pack("<9d", *self.floats[a], *self.floats[b], *self.floats[c]))
        need(dump.hexdigest() == self.sha, "the mesh does not have the SHA-256 of the line mesh")
        self.triangles = [(vertices[a], vertices[b], vertices[c]) for a, b, c in self.faces]
        self.flat = [cross(sub(b, a), sub(c, a)) == ZERO for a, b, c in self.triangles]
        self.read_tree(lines)
        self.find_boundary(vertices)

    def read_tree(self, lines):
        """Reads the tree: a list of (box, skip, faces), parents before children, left before right. skip
        is the index after the last node below a node. Boxes are computed here, so they are right."""
        self.tree, waiting, seen, leaves = [], [], bytearray(len(self.faces)), 0
        for _ in range(integer(lines.header("tree"), 0, len(self.faces))):
            words = [integer(w, 0, len(self.faces)) for w in lines.next()]
            need(not self.tree or waiting, "a leaf is outside the tree")
            need(len(waiting) + words[0] < 1000, "the tree is too deep")
            for _ in range(words[0]):  # new inner nodes
                waiting.append((len(self.tree), []))
                self.tree.append(None)
            need(len(words) > 1, "a leaf is empty")
            box = None
            for f in words[1:]:
                need(f < len(self.faces) and not seen[f], "a face is missing, or is in two leaves")
                seen[f] = 1
                box = union(box, [min(x) for x in zip(*self.triangles[f])] + [max(x) for x in zip(*self.triangles[f])])
            self.tree.append((box, len(self.tree) + 1, words[1:]))
            while waiting:
                waiting[-1][1].append(box)
                if len(waiting[-1][1]) < 2:
                    break
                i, boxes = waiting.pop()
                box = union(*boxes)
                self.tree[i] = (box, len(self.tree), ())
        need(not waiting and all(seen), "the tree does not hold every face")
        self.box = self.tree[0][0] if self.tree else None

    def find_boundary(self, vertices):
        """Sums the directed edges of all faces. Edges from a vertex to itself do not count."""
        chain, uses = {}, {}
        for a, b, c in self.faces:
            for s, t in ((a, b), (b, c), (c, a)):
                if s != t:
                    key, sign = ((s, t), 1) if s < t else ((t, s), -1)
                    chain[key] = chain.get(key, 0) + sign
                    uses[key] = uses.get(key, 0) + 1
        self.boundary = [(vertices[s], vertices[t], m) for (s, t), m in chain.items() if m]
        self.closed = not self.boundary
        self.counts = self.closed or self.rule == "evenodd" and all(n % 2 == 0 for n in uses.values())

    def near(self, misses):
        """The faces in the leaves that misses(box) does not exclude."""
        i, tree = 0, self.tree
        while i < len(tree):
            box, skip, faces = tree[i]
            if misses(box):
                i = skip
            else:
                yield from faces
                i += 1

    def cast(self, p, words):
        """Checks the crossings of the ray from p: words are the end of the ray and the crossed faces with
        their signs. It returns the direction, and the crossings as (face, sign)."""
        need(len(words) >= 3, "expected the end of the ray")
        r = tuple(scaled(float64(w), self.scale) for w in words[:3])
        d, box = sub(r, p), self.box
        need(box is None or any(p[k] < r[k] > box[k + 3] or p[k] > r[k] < box[k] for k in range(3)),
             "the ray ends inside the box of the mesh")
        x0, y0, z0 = map(min, p, r)
        x1, y1, z1 = map(max, p, r)
        found = []
        for f in self.near(lambda b: b[0] > x1 or b[3] < x0 or b[1] > y1 or b[4] < y0 or b[2] > z1 or b[5] < z0):
            if self.flat[f]:
                need(not on_triangle(p, *self.triangles[f]), "the point is on a face without area")
                continue
            sign = crossing(p, d, *self.triangles[f])
            if sign:
                found.append((f, sign))
        listed = [(integer(w[1:], 0, len(self.faces) - 1), {"+": 1, "-": -1}.get(w[:1])) for w in words[3:]]
        need(sorted(found) == listed, "the ray crosses other faces, or with other signs")
        return d, found

    def check_nearest(self, p, side, face, signed):
        """Checks that face is the nearest one, and that |signed| is its distance, rounded up."""
        need((signed < 0, signed > 0) == (side == "in", side == "out"), "the distance has a wrong sign")
        num, den = distance2(p, *self.triangles[face])
        unit = 1 << self.scale
        above = Fraction(abs(signed)) * unit
        need(above * above * den >= num, "the distance is too small")
        if signed:
            below = Fraction(math.nextafter(abs(signed), 0.0)) * unit
            need(below * below * den < num, "the distance is too large")

        def misses(b):  # the distance of p from the box exceeds the distance of the face
            x, y, z = (max(b[k] - p[k], p[k] - b[k + 3], 0) for k in range(3))
            return (x * x + y * y + z * z) * den > num
        for f in self.near(misses):
            n, d = distance2(p, *self.triangles[f])
            left, right = n * den, num * d
            need(left > right or left == right and f >= face, "another face is nearer")


def union(a, b):
    return b if a is None else [min(s, t) for s, t in zip(a[:3], b[:3])] + [max(s, t) for s, t in zip(a[3:], b[3:])]


# ------------------------------------------------------------------------------------------- answers

def check_point(mesh, words):
    """Checks an answer, and returns what it proves: its side (None without a proof) and whether it has
    a distance. words are: row x y z side, then face and distance or - -, then the proof."""
    need(len(words) >= 8, "expected at least 8 words")
    integer(words[0], 0, 1 << 60)
    side, kind, rest = words[4], words[7], words[8:]
    if kind == "none":
        need(words[5:7] == ["-", "-"] and not rest, "a point without a proof has no distance")
        return None, False
    p = tuple(scaled(float64(w), mesh.scale) for w in words[1:4])
    if kind == "on":
        need(side == "on" and len(rest) == 1, "expected a face")
        face = integer(rest[0], 0, len(mesh.faces) - 1)
        need(on_triangle(p, *mesh.triangles[face]), "the point is not on the face")
    elif kind == "box":
        need(mesh.counts and side == "out" and not rest, "only a closed mesh has no points outside its box")
        b = mesh.box
        need(b is None or any(p[k] < b[k] or p[k] > b[k + 3] for k in range(3)), "the point is in the box")
    elif kind == "ray":
        need(mesh.counts, "a ray decides only for a closed mesh")
        need(rest, "expected a winding number")
        _, found = mesh.cast(p, rest[1:])
        w = sum(sign for _, sign in found)
        if mesh.closed:
            need(integer(rest[0], -1 << 40, 1 << 40) == w, "the winding number is wrong")
        else:
            need(rest[0] == "-", "the mesh is open, so the winding number is not that of the ray")
        inside = {"nonzero": w != 0, "positive": w > 0, "negative": w < 0, "evenodd": len(found) % 2 == 1}
        need(side == ("in" if inside[mesh.rule] else "out"), "the side is wrong")
    elif kind == "sum":
        need(not mesh.counts, "a sum over the boundary needs an open mesh")
        need(len(rest) > 2, "expected a winding number with its bound")
        w, bound = Fraction(float64(rest[0])), Fraction(float64(rest[1]))
        d, found = mesh.cast(p, rest[2:])
        whole = sum(sign for _, sign in found)
        for bits in (64, 128, 256):
            low, high = boundary_sum(mesh.boundary, p, tuple(-x for x in d), bits)
            low, high = whole + low, whole + high
            decided = side_of(mesh.rule, low, high)
            if decided and w - bound <= low and high <= w + bound:
                break
        need(w - bound <= low and high <= w + bound, "the winding number is not within its bound")
        need(side == decided, "the side is wrong, or the winding number is too close to the limit of the rule")
    else:
        raise Refused("unknown kind of proof")
    if words[5:7] == ["-", "-"]:
        return side, False
    mesh.check_nearest(p, side, integer(words[5], 0, len(mesh.faces) - 1), float64(words[6]))
    return side, True


def check_source(mesh, data):
    """Checks that the bytes of the source file are those of the proof. Returns whether it is a binary STL
    file whose triangles are the faces of the mesh."""
    need((hashlib.sha256(data).hexdigest(), len(data)) == mesh.source, "the source file is another file")
    if len(data) < 84 or len(data) != 84 + 50 * struct.unpack_from("<I", data, 80)[0]:
        return False
    need(len(mesh.faces) == (len(data) - 84) // 50, "the STL file has another number of faces")
    for f, face in enumerate(mesh.faces):
        x = struct.unpack_from("<9f", data, 84 + 50 * f + 12)
        a, b, c = (mesh.floats[v] for v in face)
        same = [(a, b, c)] if f not in mesh.flipped else [(a, c, b), (c, b, a), (b, a, c)]
        need((x[:3], x[3:6], x[6:]) in same, "face %d differs from the STL file" % f)
    return True


def check(file, source=None, seconds=math.inf):
    """Checks a whole file and returns the lines of a report, and the number of points without a proof."""
    start, lines = time.monotonic(), Lines(file)
    try:
        mesh = Mesh(lines)
        counts = {"in": 0, "out": 0, "on": 0, None: 0}
        distances = 0
        for _ in range(integer(lines.header("points"), 0, 1 << 40)):
            side, distance = check_point(mesh, lines.next())
            counts[side] += 1
            distances += distance
            need(time.monotonic() - start < seconds, "the time of --seconds is over")
        need(lines.next() == ["end"] and not file.read(1), "expected the line end as the last line")
    except Refused as e:
        raise Refused("line %d: %s" % (lines.number, e)) from None
    trusted = "trusted: the mesh is that of the file %s with the SHA-256 %s" % (ascii(mesh.name), ascii(mesh.source[0]))
    if source is not None:
        trusted = "checked: the file has the SHA-256 of the proof; trusted: the mesh is that of the file"
        if check_source(mesh, source):
            trusted = "checked: the mesh is that of the binary STL file"
    return ["mesh: %d faces, %s, SHA-256 %s, %d turned over, rule %s" %
            (len(mesh.faces), "closed" if mesh.closed else "open", mesh.sha, len(mesh.flipped), mesh.rule), trusted,
            "accepted: %d in, %d out, %d on, %d distances; %d points without a proof" %
            (counts["in"], counts["out"], counts["on"], distances, counts[None])], counts[None]


def main(args):
    options = {}
    while len(args) > 2 and args[-2] in ("--source", "--seconds"):
        options[args[-2]] = args[-1]
        args = args[:-2]
    if len(args) != 1:
        print(__doc__.split("\n")[0], file=sys.stderr)
        return 2
    try:
        source = open(options["--source"], "rb").read() if "--source" in options else None
        with open(args[0], "rb") as file:
            report, unproved = check(file, source, float(options.get("--seconds", "inf")))
    except (OSError, ValueError) as e:
        print("error: %s" % e, file=sys.stderr)
        return 2
    except (Refused, MemoryError) as e:
        print("refused: %s" % (e or "not enough memory"))
        return 1
    print("\n".join(report))
    return 3 if unproved else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
