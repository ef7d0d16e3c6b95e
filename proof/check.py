"""Checks a proof file of inpoly: python3 check.py FILE [--source MESH] [--seconds S]

A proof file has a triangle mesh and answers about points. The program accepts the file only if every answer
follows from the mesh. It needs Python 3.9 or newer. docs/proofs.md says why the tests below suffice.
All geometry is in integers: float64 coordinates are multiples of 2**-scale, so the program stores
x * 2**scale * unit. unit is 1 without a pose, else the integer |q|**2 of its quaternion q, with which rotated
coordinates are integers. It never rounds, except in intervals of integers.
Exit code: 0 accepted; 1 refused, or not readable; 2 usage; 3 accepted, but some points have no proof;
4 accepted, but only if what the report calls trusted is true. Always trusted: Python, this program, and that
the rows and coordinates of the points are those of your points.
"""
import argparse, functools, hashlib, math, os, re, struct, sys, time
from fractions import Fraction

MAX_LINE = 1 << 24  # bytes of a line
ZERO, HALF = (0, 0, 0), Fraction(1, 2)
ORIENTS = ("auto", "never", "always")
RULES = ("nonzero", "positive", "negative", "evenodd")

class Refused(Exception):
    """The file does not prove what it claims."""

def need(condition, reason):
    if not condition:
        raise Refused(reason)

INTEGER = re.compile(r"0|[1-9][0-9]{0,17}")
FLOAT = re.compile(r"-?[0-9]{1,25}(\.[0-9]{1,25})?(e[+-][0-9]{1,3})?")
HASH = re.compile(r"[0-9A-Fa-f]{64}")
NAME = re.compile(r"([A-Za-z0-9._~$&+=:@-]|%[0-9A-F]{2}){0,65535}")  # percent-encoded

def integer(word, low, high):
    need(INTEGER.fullmatch(word) and low <= int(word) <= high, "expected an integer in its range")
    return int(word)

def float64(word):
    need(FLOAT.fullmatch(word), "expected a number")
    need(math.isfinite(float(word)), "a number is not finite")
    return float(word)  # correctly rounded

def sha256(word):
    need(HASH.fullmatch(word), "expected a SHA-256 of 64 hexadecimal digits")
    return word.lower()

def scaled(x, scale):
    """The integer x * 2**scale, for a float x."""
    n, d = x.as_integer_ratio()  # exact; d is a power of two
    need(d <= 1 << scale, "the scale is too small for a coordinate")
    return (n << scale) // d

def packed(x):
    """Three floats as bytes, with -0 as 0."""
    return struct.pack("<3d", *(c + 0.0 for c in x))

class Lines:
    def __init__(self, file, seconds=math.inf):
        self.file, self.number, self.end = file, 0, time.monotonic() + seconds

    def tick(self):
        need(time.monotonic() < self.end, "the time of --seconds is over")

    def next(self):
        """The words of the next line. A line ends with a line feed."""
        self.tick()
        line = self.file.readline(MAX_LINE)
        self.number += 1
        text = line[:-1].decode("ascii", "replace")
        need(line.endswith(b"\n") and line.isascii() and text.isprintable(), "the line is too long or no text")
        return text.split(" ")

    def header(self, name, values=1):
        words = self.next()
        need(words[0] == name and len(words) == values + 1, "expected the line " + name)
        return words[1] if values == 1 else words[1:]

    def table(self, name, width=None):
        """The rows of a table: the line "name N", then N lines, all of the given number of words."""
        for _ in range(integer(self.header(name), 0, 1 << 40)):
            words = self.next()
            need(width in (None, len(words)), "expected another number of words")
            yield words

def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
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
    best = dot(u, u), 1
    for s, t in ((u, v), (v, w), (w, u)):
        e, m = sub(t, s), cross(s, t)
        on_edge = dot(s, e) < 0 < dot(t, e)  # the foot lies on the edge
        n, d = (dot(m, m), dot(e, e)) if on_edge else (min(dot(s, s), dot(t, t)), 1)
        if n * best[1] < best[0] * d:
            best = n, d
    return best

# Below, an angle is a pair of integers (low, high): it lies between low and high times 2**-bits.
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

@functools.lru_cache(maxsize=None)
def table(bits):
    """The angles atan(k/16), k = 0 ... 16: atan(k/16) - atan((k-1)/16) = atan(16 / (256 + k(k-1)))."""
    rows = [(0, 0)]
    for k in range(1, 17):
        rows.append(add(rows[-1], small_atan(16, 256 + k * (k - 1), bits)))
    return rows

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
    if det == 0:  # the angle is 0, unless the ray meets the edge
        pi = 4 * table(bits)[16][1]
        return (0, 0) if low > 0 else (-pi, pi)
    y = abs(det) << 3 * bits
    small, large = argument(high, y, bits)[0], argument(low, y, bits)[1]
    return (small, large) if det > 0 else (-large, -small)

def boundary_sum(mesh, p, d, bits):
    """Bounds of (1/4 pi) times the sum of the solid angles of the boundary edges, for a ray along -d."""
    low = high = 0
    for a, b, times in mesh.boundary:
        mesh.tick()
        angle = half_angle(sub(a, p), sub(b, p), d, bits)
        low, high = low + min(times * x for x in angle), high + max(times * x for x in angle)
    quarter = table(bits)[16]
    return Fraction(low, 8 * quarter[low > 0]), Fraction(high, 8 * quarter[high < 0])

def side_of(rule, low, high):
    """The side that follows from a winding number between low and high, or None."""
    if rule == "evenodd":
        n = math.floor(low + HALF)
        return ("out", "in")[n % 2] if n - HALF < low and high < n + HALF else None
    if low > HALF and rule != "negative" or high < -HALF and rule != "positive":
        return "in"
    return "out" if (high < HALF or rule == "negative") and (low > -HALF or rule == "positive") else None

def motion(numbers, scale):
    """The motion v -> R v + t by a quaternion w, x, y, z and a translation t, times |q|**2, for integer vectors.
    The quaternion need not have the length 1: R is the rotation by q/|q|. Returns |q|**2 and the motion."""
    lowest = max(x.as_integer_ratio()[1] for x in numbers[:4])
    w, x, y, z = (int(Fraction(c) * lowest) for c in numbers[:4])
    unit = w * w + x * x + y * y + z * z
    need(unit > 0, "the rotation of the pose is 0")
    rows = ((w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z))
    t = [scaled(c, scale) * unit for c in numbers[4:]]
    return unit, lambda v: tuple(dot(row, v) + c for row, c in zip(rows, t))

class Mesh:
    """The mesh of a file, with a tree of boxes over its faces."""
    def __init__(self, lines):
        version, self.tick = lines.header("inpoly-proof"), lines.tick
        need(version in ("1", "2"), "expected a proof file of version 1 or 2")
        digest, size = lines.header("source", 2)
        self.source = sha256(digest), integer(size, 0, 1 << 60)
        self.name = lines.header("name")
        need(NAME.fullmatch(self.name), "the name is not percent-encoded")
        self.sha, self.rule = sha256(lines.header("mesh")), lines.header("rule")
        need(self.rule in RULES, "unknown rule")
        self.orient = lines.header("orient") if version == "2" else "unknown"
        need(version == "1" or self.orient in ORIENTS, "unknown orientation")
        pose = lines.next() if version == "2" else ["pose", "identity"]
        need(pose == ["pose", "identity"] or len(pose) == 8 and pose[0] == "pose", "unknown pose")
        self.pose = " ".join(pose[1:])
        self.scale = integer(lines.header("scale"), 0, 1074)  # every float64 is a multiple of 2**-1074
        self.unit, move = 1, lambda v: v
        if len(pose) == 8:
            self.unit, move = motion([float64(w) for w in pose[1:]], self.scale)
        known, numbers, vertices = {}, [], []
        for words in lines.table("vertices", 3):
            x = [float64(w) for w in words]
            numbers.append(known.setdefault(packed(x), len(known)))  # equal corners are one vertex
            if numbers[-1] == len(vertices):
                vertices.append(move(tuple(scaled(c, self.scale) for c in x)))
        self.corners = list(known)
        self.faces, self.triangles, self.flat, dump = [], [], [], hashlib.sha256()
        for words in lines.table("faces", 3):
            self.faces.append(tuple(numbers[integer(w, 0, len(numbers) - 1)] for w in words))
            dump.update(b"".join(self.corners[v] for v in self.faces[-1]))
            a, b, c = (vertices[v] for v in self.faces[-1])
            self.triangles.append((a, b, c))
            self.flat.append(cross(sub(b, a), sub(c, a)) == ZERO)
        need(dump.hexdigest() == self.sha, "the mesh does not have the SHA-256 of the line mesh")
        turned = [integer(words[0], 0, len(self.faces) - 1) for words in lines.table("flipped", 1)]
        self.flipped = set(turned)
        need(turned == sorted(self.flipped), "the faces that are turned over do not ascend")
        self.read_tree(lines)
        self.find_edges(vertices)

    def read_tree(self, lines):
        """Reads the tree: a list of (box, skip, faces), parents before children, left before right. skip
        is the index after the last node below a node. Boxes are computed here, so they are right."""
        self.tree, waiting, seen = [], [], bytearray(len(self.faces))
        for _ in range(integer(lines.header("tree"), 0, len(self.faces))):
            words = [integer(w, 0, len(self.faces)) for w in lines.next()]
            need(waiting or not self.tree, "a leaf is outside the tree")
            need(len(waiting) + words[0] < 1000 and len(words) > 1, "the tree is too deep, or a leaf is empty")
            waiting += [(len(self.tree) + i, []) for i in range(words[0])]  # new inner nodes
            self.tree += [None] * words[0]
            box = None
            for f in words[1:]:
                need(f < len(self.faces) and not seen[f], "a face is missing, or is in two leaves")
                seen[f] = 1
                box = union(box, [*map(min, *self.triangles[f]), *map(max, *self.triangles[f])])
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

    def find_edges(self, vertices):
        """Sums the directed edges of all faces. The edges of a face with two equal corners cancel."""
        edges = {}  # for each edge: the sum, the number of faces, and the sum before faces were turned over
        for f, (a, b, c) in enumerate(self.faces):
            self.tick()
            for s, t in ((a, b), (b, c), (c, a)) if a != b != c != a else ():
                sign, key = (1, (s, t)) if s < t else (-1, (t, s))
                total, uses, given = edges.get(key, (0, 0, 0))
                edges[key] = total + sign, uses + 1, given + (-sign if f in self.flipped else sign)
        self.boundary = [(vertices[s], vertices[t], m) for (s, t), (m, _, _) in edges.items() if m]
        self.closed = not self.boundary
        self.counts = self.closed or self.rule == "evenodd" and all(n % 2 == 0 for _, n, _ in edges.values())
        consistent = not any(n == 2 and given for _, n, given in edges.values())
        certain = self.orient == "never" or self.orient == "auto" and consistent
        need(not (certain and self.flipped), "orient %s turns no face of this mesh over" % self.orient)
        self.trusts_flipped = not certain and (self.orient != "unknown" or bool(self.flipped))

    def point(self, words):
        """The point with the coordinates in words."""
        return tuple(scaled(float64(w), self.scale) * self.unit for w in words)

    def near(self, misses):
        """The faces in the leaves that misses(box) does not exclude."""
        i, tree = 0, self.tree
        while i < len(tree):
            box, skip, faces = tree[i]
            if misses(box):
                i = skip
            else:
                for f in faces:
                    self.tick()
                    yield f
                i += 1

    def cast(self, p, words):
        """Checks the crossings of the ray from p: words are the end of the ray and the crossed faces with
        their signs. It returns the direction, and the crossings as (face, sign)."""
        need(len(words) >= 3, "expected the end of the ray")
        r, box = self.point(words[:3]), self.box
        d, found = sub(r, p), []
        beyond = box is None or any(p[k] < r[k] > box[k + 3] or p[k] > r[k] < box[k] for k in range(3))
        need(beyond, "the ray does not leave the box of the mesh")
        x0, y0, z0, x1, y1, z1 = *map(min, p, r), *map(max, p, r)
        def misses(b):
            return b[0] > x1 or b[3] < x0 or b[1] > y1 or b[4] < y0 or b[2] > z1 or b[5] < z0
        for f in self.near(misses):
            if not self.flat[f]:
                sign = crossing(p, d, *self.triangles[f])
                found += [(f, sign)] if sign else []
            else:
                need(not on_triangle(p, *self.triangles[f]), "the point is on a face without area")
        crossed = ["-+"[sign > 0] + str(f) for f, sign in sorted(found)]
        need(words[3:] == crossed, "the ray crosses other faces, or with other signs")
        return d, found

    def check_nearest(self, p, side, face, signed):
        """Checks that face is the nearest one, and that |signed| is its distance, rounded up."""
        need((signed < 0, signed > 0) == (side == "in", side == "out"), "the distance has a wrong sign")
        num, den = distance2(p, *self.triangles[face])
        unit = self.unit << self.scale
        above, below = Fraction(abs(signed)) * unit, Fraction(math.nextafter(abs(signed), 0.0)) * unit
        need(above * above * den >= num, "the distance is too small")
        need(not signed or below * below * den < num, "the distance is too large")
        def misses(b):  # the distance of p from the box exceeds the distance of the face
            v = [max(b[k] - p[k], p[k] - b[k + 3], 0) for k in range(3)]
            return dot(v, v) * den > num
        for f in self.near(misses):
            n, d = distance2(p, *self.triangles[f])
            need(n * den > num * d or n * den == num * d and f >= face, "another face is nearer")

def union(a, b):
    return b if a is None else [*map(min, a[:3], b[:3]), *map(max, a[3:], b[3:])]

def check_point(mesh, words, last=-1):
    """Checks an answer, and returns what it proves: its side (None without a proof) and whether it has
    a distance. words are: row x y z side, then face and distance or - -, then the proof. last is the row before."""
    need(len(words) >= 8, "expected at least 8 words")
    need(integer(words[0], 0, 1 << 60) > last, "the rows do not ascend")
    side, kind, rest = words[4], words[7], words[8:]
    if words[5:] == ["-", "-", "none"]:
        known = all(FLOAT.fullmatch(w) or w in ("NaN", "+Inf", "-Inf") for w in words[1:4])
        need(known and side == "uncertain", "a row without a proof has an answer, or no point")
        return None, False
    p = mesh.point(words[1:4])
    if kind == "on":
        need(side == "on" and len(rest) == 1, "expected a face")
        face = integer(rest[0], 0, len(mesh.faces) - 1)
        need(on_triangle(p, *mesh.triangles[face]), "the point is not on the face")
    elif kind == "box":
        need(mesh.counts and side == "out" and not rest, "only a closed mesh has no points outside its box")
        b = mesh.box
        need(not b or any(p[k] < b[k] or p[k] > b[k + 3] for k in range(3)), "the point is in the box")
    elif kind == "ray":
        need(mesh.counts and rest, "a ray decides only for a closed mesh, and has a winding number")
        found = mesh.cast(p, rest[1:])[1]
        w = sum(sign for _, sign in found)
        need(rest[0] == (str(w) if mesh.closed else "-"), "the winding number is wrong")
        inside = {"nonzero": w != 0, "positive": w > 0, "negative": w < 0, "evenodd": len(found) % 2 == 1}
        need(side == ("in" if inside[mesh.rule] else "out"), "the side is wrong")
    elif kind == "sum":
        need(not mesh.counts and len(rest) > 2, "a sum has a winding number and a bound, and needs an open mesh")
        w, bound = Fraction(float64(rest[0])), Fraction(float64(rest[1]))
        d, found = mesh.cast(p, rest[2:])
        whole = sum(sign for _, sign in found)
        for bits in (64, 128, 256, 512):
            low, high = (whole + x for x in boundary_sum(mesh, p, tuple(-x for x in d), bits))
            within = w - bound <= low and high <= w + bound
            if within and side == side_of(mesh.rule, low, high):
                break
        else:
            raise Refused("the side is wrong" if within else "the winding number is not within its bound")
    else:
        raise Refused("unknown kind of proof")
    if words[5:7] == ["-", "-"]:
        return side, False
    need(mesh.pose == "identity", "a distance at a pose has no proof")
    mesh.check_nearest(p, side, integer(words[5], 0, len(mesh.faces) - 1), float64(words[6]))
    return side, True

def check_source(mesh, file):
    """Checks that the source file has the bytes of the proof. Returns whether it is a binary STL file, whose
    triangles are then the faces of the mesh. It keeps no more bytes than such a file has."""
    data, size, most, digest = bytearray(), 0, 84 + 50 * len(mesh.faces), hashlib.sha256()
    while size <= mesh.source[1] and (block := file.read(1 << 20)):
        mesh.tick()
        digest.update(block)
        data += block[:most - len(data)]
        size += len(block)
    need((digest.hexdigest(), size) == mesh.source, "the source file is another file")
    if size < 84 or size != 84 + 50 * struct.unpack_from("<I", data, 80)[0]:
        return False
    need(size == most, "the STL file has another number of faces")
    for f, face in enumerate(mesh.faces):
        mesh.tick()
        x = struct.unpack_from("<9f", data, 84 + 50 * f + 12)
        a, b, c = (mesh.corners[v] for v in face)
        same = [[a, b, c]] if f not in mesh.flipped else [[a, c, b], [c, b, a], [b, a, c]]
        need([packed(x[:3]), packed(x[3:6]), packed(x[6:])] in same, "face %d differs from the STL file" % f)
    return True

def check(file, source=None, seconds=math.inf):
    """Checks a whole file, and the file source if there is one. Returns a report and the exit code."""
    lines = Lines(file, seconds)
    try:
        mesh = Mesh(lines)
        counts, distances, row = {"in": 0, "out": 0, "on": 0, None: 0}, 0, -1
        for words in lines.table("points"):
            side, distance = check_point(mesh, words, row)
            row = int(words[0])
            counts[side] += 1
            distances += distance
        need(row >= 0, "the file has no points, so it proves nothing")
        need(lines.next() == ["end"] and not file.read(1), "expected the line end as the last line")
    except Refused as e:
        raise Refused("line %d: %s" % (lines.number, e)) from None
    read = source is not None and check_source(mesh, source)
    trusted = ["the SHA-256 of the source, because there is no --source"] if source is None else []
    trusted += [] if read else ["the mesh is that of the source, which is not read here"]
    trusted += ["%d faces turned over" % len(mesh.flipped)] if mesh.trusts_flipped else []
    text = ["mesh: %d faces, %s, rule %s, orient %s, SHA-256 %s" % (
        len(mesh.faces), "closed" if mesh.closed else "open", mesh.rule, mesh.orient, mesh.sha)]
    text += ["pose: " + mesh.pose] if mesh.pose != "identity" else []
    text += ["source: %d bytes, SHA-256 %s" % mesh.source[::-1], "not checked: the name of the source, " + mesh.name]
    text += ["checked: the SHA-256 of the source"] if source is not None else []
    text += ["checked: the mesh is that of the source, read as binary STL"] if read else []
    text += ["trusted: " + t for t in trusted]
    text += ["accepted: %d in, %d out, %d on, %d distances; %d points without a proof" % (
        counts["in"], counts["out"], counts["on"], distances, counts[None])]
    return "\n".join(text), 3 if counts[None] else 4 if trusted else 0

def main():
    parser = argparse.ArgumentParser(description="Checks a proof file of inpoly.")
    parser.add_argument("file")
    parser.add_argument("--source", help="the mesh file, which must be that of the proof")
    parser.add_argument("--seconds", type=float, default=math.inf, help="refuse if the check takes longer")
    try:
        args = parser.parse_args()
    except SystemExit:
        return 2  # also after --help, because 0 means accepted
    if sys.stdout is None:
        sys.exit("error: standard output is closed")
    try:
        none = args.source is None
        with open(args.file, "rb") as file, open(os.devnull if none else args.source, "rb") as source:
            report, code = check(file, None if none else source, args.seconds)
        print(report, flush=True)
    except OSError as e:
        sys.exit("error: %s" % e)
    except (Refused, MemoryError) as e:
        sys.exit("refused: %s" % (str(e) or "not enough memory"))
    return code

if __name__ == "__main__":
    sys.exit(main())
