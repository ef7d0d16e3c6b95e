"""Attacks the checker: attack.py FOLDER FAMILIES SEED COUNT.

FOLDER has check.py. FAMILIES has families of proof files about the same triangles: N.stl is the source, and
N.*.proof are proofs about it and about copies of it with other orientations, with the same points. The
program makes COUNT files of them: it mixes the proofs of a family, lies, and writes the same statement in
other ways. For each file that the checker accepts, a referee decides with its own exact arithmetic whether
the statement is true. The program prints the counts, and a line for each wrong verdict.
"""
import collections
import fractions
import glob
import hashlib
import io
import math
import os
import random
import struct
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
import check

RULES = ("nonzero", "positive", "negative", "evenodd")
SIDES = ("in", "out", "on", "uncertain")
MODES = ("auto", "never", "always")


# The referee. It shares no code with the checker: it has another ray test, another search for the
# nearest face, and angles in float64.


def integers(points):
    """Points as integers in a common unit."""
    unit = 1
    for p in points:
        for x in p:
            unit = max(unit, x.as_integer_ratio()[1])
    return [tuple(n * (unit // d) for n, d in (x.as_integer_ratio() for x in p)) for p in points]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def det(a, b, c):
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]))


def area_normal(t):
    (x, y, z), (u, v, w) = minus(t[1], t[0]), minus(t[2], t[0])
    return (y * w - z * v, z * u - x * w, x * v - y * u)


def between(p, a, b):
    """Whether p lies on the segment from a to b."""
    n = area_normal((p, a, b))
    return n == (0, 0, 0) and all(min(s, t) <= x <= max(s, t) for x, s, t in zip(p, a, b))


def touches(p, t):
    """Whether p lies on the closed triangle t."""
    n = area_normal(t)
    if n == (0, 0, 0):
        return any(between(p, t[i], t[i - 1]) for i in range(3))
    if det(minus(t[0], p), minus(t[1], p), minus(t[2], p)) != 0:
        return False
    k = max(range(3), key=lambda i: abs(n[i]))  # project along the longest axis of the normal
    x, y = (k + 1) % 3, (k + 2) % 3
    turns = []
    for i in range(3):
        a, b = t[i], t[(i + 1) % 3]
        turns.append((b[x] - a[x]) * (p[y] - a[y]) - (b[y] - a[y]) * (p[x] - a[x]))
    return min(turns) >= 0 or max(turns) <= 0


def edge_counts(triangles):
    net, uses = collections.Counter(), collections.Counter()
    for t in triangles:
        if len(set(t)) == 3:
            for i in range(3):
                a, b = t[i], t[(i + 1) % 3]
                net[min(a, b), max(a, b)] += 1 if a < b else -1
                uses[min(a, b), max(a, b)] += 1
    return net, uses


def cross_ray(triangles, p):
    """The sum of the signs of the crossings of a ray, and their number."""
    rng = random.Random(1)
    while True:
        d = [rng.randint(-10**6, 10**6) for _ in range(3)]
        total = number = 0
        for t in triangles:
            if area_normal(t) == (0, 0, 0):
                continue
            e, f, s = minus(t[1], t[0]), minus(t[2], t[0]), minus(p, t[0])
            m = [-x for x in d]
            q = det(e, f, m)  # s = u e + v f + r m, by the rule of Cramer
            u, v, r = det(s, f, m), det(e, s, m), det(e, f, s)
            if q < 0:
                u, v, r = -u, -v, -r
            if q == 0 or r > 0 and min(u, v, abs(q) - u - v) == 0:
                break  # another ray
            if r > 0 and min(u, v, abs(q) - u - v) > 0:  # if r is 0, p is in the plane, and not on the triangle
                total += -1 if q > 0 else 1
                number += 1
        else:
            return total, number


def angles(triangles, p):
    """The winding number and a bound of its error: the sum of the solid angles of the faces, in float64."""
    total = error = 0.0
    for t in triangles:
        if area_normal(t) == (0, 0, 0):
            continue
        a, b, c = (minus(q, p) for q in t)
        scale = max(map(abs, a + b + c))
        y = det(a, b, c) / scale**3  # division of integers, correctly rounded
        a, b, c = ([x / scale for x in v] for v in (a, b, c))
        la, lb, lc = (math.hypot(*v) for v in (a, b, c))
        ab, bc, ca = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2] for u, v in ((a, b), (b, c), (c, a)))
        x = la * lb * lc + ab * lc + bc * la + ca * lb
        total += math.atan2(y, x)
        error += 1e-13 / max(math.hypot(x, y), 1e-300)
    return total / (2 * math.pi), error


def distance2(p, t):
    """The squared distance of p from the triangle t, as a fraction."""
    best = None
    n = area_normal(t)
    nn = sum(x * x for x in n)
    if nn:
        h = fractions.Fraction(sum(x * y for x, y in zip(n, minus(p, t[0]))), nn)
        foot = [x - h * y for x, y in zip(p, n)]
        if touches(foot, t):
            return h * h * nn
    for i in range(3):
        a, e = t[i], minus(t[i - 1], t[i])
        ee = sum(x * x for x in e)
        s = fractions.Fraction(sum(x * y for x, y in zip(minus(p, a), e)), ee) if ee else 0
        s = min(max(s, 0), 1)
        v = [x - y - s * z for x, y, z in zip(p, a, e)]
        d = sum(x * x for x in v)
        best = d if best is None else min(best, d)
    return best


class Truth:
    """What is true about a point and a list of triangles."""

    def __init__(self, triangles, p):
        points = integers([p] + [q for t in triangles for q in t])
        self.p, self.triangles = points[0], [tuple(points[1 + 3 * i : 4 + 3 * i]) for i in range(len(triangles))]
        self.unit = max([x.as_integer_ratio()[1] for q in (p, *(q for t in triangles for q in t)) for x in q])
        self.on = [touches(self.p, t) for t in self.triangles]
        net, uses = edge_counts(self.triangles)
        self.closed = not any(net.values())
        self.even = all(n % 2 == 0 for n in uses.values())
        self.winding = self.crossings = None
        self.margin = 0
        self.nearest = None

    def distance(self):
        """The face that is nearest, and the square of its distance."""
        if self.nearest is None:
            all_d = [distance2(self.p, t) for t in self.triangles]
            d = min(all_d)
            self.nearest = all_d.index(d), fractions.Fraction(d) / self.unit**2
        return self.nearest

    def sides(self, rule):
        """The sides that the rule can give. They are two only if the winding number is too close to a threshold."""
        if any(self.on):
            return {"on"}
        if self.winding is None:
            if self.closed or self.even:
                self.winding, self.crossings = cross_ray(self.triangles, self.p)
            if not self.closed:
                self.winding, self.margin = angles(self.triangles, self.p)
        if rule == "evenodd" and (self.closed or self.even):
            return {"in"} if self.crossings % 2 else {"out"}
        result = {"in", "out"} if self.margin > 0.1 else set()
        for w in (self.winding - self.margin, self.winding + self.margin):
            if rule == "evenodd":
                inside = math.floor(w + 0.5) % 2 == 1
            else:
                inside = w > 0.5 and rule != "negative" or w < -0.5 and rule != "positive"
            result.add("in" if inside else "out")
        return result


truths = {}


def truth(triangles, p):
    key = triangles, p
    if key not in truths:
        if len(truths) > 50_000:
            truths.clear()
        truths[key] = Truth(triangles, p)
    return truths[key]


class Unreadable(Exception):
    pass


def parse(data):
    """The statement of a proof file."""
    lines = data.decode("ascii").split("\n")
    if lines[-2:] != ["end", ""]:
        raise Unreadable("no end")
    at = iter(lines)

    def head(name):
        word, _, rest = next(at).partition(" ")
        if word != name:
            raise Unreadable(name)
        return rest

    p = {"version": head("inpoly-proof")}
    p["sha"], p["size"] = head("source").split(" ")
    p["name"], p["mesh"], p["rule"] = head("name"), head("mesh"), head("rule")
    p["orient"] = p["pose"] = None
    if p["version"] == "2":
        p["orient"], p["pose"] = head("orient"), head("pose")
    p["scale"] = head("scale")
    for name in ("vertices", "faces", "flipped", "tree", "points"):
        p[name] = [next(at).split(" ") for _ in range(int(head(name)))]
    if next(at) != "end" or next(at) != "":
        raise Unreadable("the end")
    return p


def render(p):
    lines = ["inpoly-proof " + p["version"], "source %s %s" % (p["sha"], p["size"]), "name " + p["name"], "mesh " + p["mesh"], "rule " + p["rule"]]
    if p["version"] == "2":
        lines += ["orient " + p["orient"], "pose " + p["pose"]]
    lines.append("scale " + p["scale"])
    for name in ("vertices", "faces", "flipped", "tree", "points"):
        lines.append("%s %d" % (name, len(p[name])))
        lines += [" ".join(words) for words in p[name]]
    return ("\n".join(lines) + "\nend\n").encode()


def triangles_of(p):
    v = [tuple(float(x) + 0.0 for x in words) for words in p["vertices"]]
    return tuple(tuple(v[int(i)] for i in words) for words in p["faces"])


def digest(triangles):
    return hashlib.sha256(b"".join(struct.pack("<9d", *(x for q in t for x in q)) for t in triangles)).hexdigest()


def complaint(data, family, with_source, report, code):
    """What is wrong with the verdict that the file is accepted, or None."""
    p = parse(data)
    lines = report.split("\n")
    trusts = [line[len("trusted: ") :] for line in lines if line.startswith("trusted: ")]
    if code not in (0, 3, 4) or code == 0 and trusts or code == 4 and not trusts:
        return "exit code %d, trusted %s" % (code, trusts)
    triangles = triangles_of(p)
    flipped = {int(words[0]) for words in p["flipped"]}
    if p["mesh"].lower() != digest(triangles) or p["rule"] not in RULES or p["pose"] not in (None, "identity"):
        return "the mesh has another SHA-256, or the rule or the pose is unknown"
    if len(p["sha"]) != 64 or int(p["sha"], 16) < 0 or str(int(p["size"])) != p["size"]:
        return "no SHA-256"
    if not with_source:
        if not any(t.startswith("the SHA-256") for t in trusts):
            return "the SHA-256 is trusted silently"
    elif p["sha"].lower() != family.sha or int(p["size"]) != len(family.stl):
        return "another source"
    if not any(t.startswith("the mesh is that of the source") for t in trusts):
        if not with_source or len(triangles) != len(family.triangles):
            return "the mesh is not that of the source"
        for f, (t, u) in enumerate(zip(triangles, family.triangles)):
            if t != u and not (f in flipped and t in [(u[0], u[2], u[1]), (u[2], u[1], u[0]), (u[1], u[0], u[2])]):
                return "face %d is not that of the source" % f
    if not any(t == "%d faces turned over" % len(flipped) for t in trusts):
        if flipped:
            return "faces are turned over silently"
        if p["version"] == "2":
            net, uses = edge_counts(triangles)
            if p["orient"] != "never" and (p["orient"] != "auto" or any(uses[e] == 2 and net[e] for e in uses)):
                return "the orientation is trusted silently"
    elif p["version"] == "2" and p["orient"] == "never":
        return "faces are turned over against the mode"
    last, unproved = -1, 0
    for words in p["points"]:
        if int(words[0]) <= last:
            return "the rows do not ascend"
        last = int(words[0])
        if words[5:] == ["-", "-", "none"]:
            unproved += 1
            if words[4] != "uncertain":
                return "a row without a proof has a side"
            [float(x) for x in words[1:4]]
            continue
        point = tuple(float(x) + 0.0 for x in words[1:4])
        if not all(map(math.isfinite, point)):
            return "a point is not finite"
        t = truth(triangles, point)
        if words[4] not in t.sides(p["rule"]):
            return "row %s: the side is %s" % (words[0], t.sides(p["rule"]))
        if words[7] == "on" and not t.on[int(words[8])]:
            return "row %s: not on the face" % words[0]
        if words[7] == "ray" and (words[8] != str(t.winding) if t.closed else words[8] != "-"):
            return "row %s: the winding number is %s" % (words[0], t.winding)
        if words[7] == "sum" and not abs(float(words[8]) - t.winding) <= float(words[9]) + t.margin:
            return "row %s: the winding number is %s" % (words[0], t.winding)
        if words[5:7] != ["-", "-"]:
            face, square = t.distance()
            d = float(words[6])
            below = fractions.Fraction(math.nextafter(abs(d), 0.0))
            if int(words[5]) != face or fractions.Fraction(d) ** 2 < square or d != 0 and below**2 >= square:
                return "row %s: the nearest face is %d" % (words[0], face)
            if (d < 0) != (words[4] == "in") or (d > 0) != (words[4] == "out"):
                return "row %s: the distance has a wrong sign" % words[0]
    if (code == 3) != (unproved > 0) or last < 0:
        return "exit code %d for %d points without a proof" % (code, unproved)
    return None


# Changes of a file that do not change its statement. The checker has to accept the file again, with the
# same exit code.


def split(p, rng):
    """Gives faces vertices of their own."""
    p["vertices"], p["faces"] = list(p["vertices"]), list(p["faces"])
    share = rng.choice((0.2, 0.5, 1))
    for f, face in enumerate(p["faces"]):
        for k in range(3):
            if rng.random() < share:
                p["vertices"].append(p["vertices"][int(face[k])])
                face = face[:k] + [str(len(p["vertices"]) - 1)] + face[k + 1 :]
        p["faces"][f] = face


def renumber(p, rng):
    order = list(range(len(p["vertices"])))
    rng.shuffle(order)
    p["vertices"] = [p["vertices"][i] for i in order]
    place = {str(i): str(n) for n, i in enumerate(order)}
    p["faces"] = [[place[i] for i in face] for face in p["faces"]]


def repeat_vertices(p, rng):
    """Adds copies of vertices, and lets faces use either copy."""
    if not p["vertices"]:
        return
    n = len(p["vertices"])
    p["vertices"] = p["vertices"] + [rng.choice(p["vertices"]) for _ in range(rng.randint(1, n))]
    places = collections.defaultdict(list)
    for i, v in enumerate(p["vertices"]):
        places[tuple(v)].append(str(i))
    p["faces"] = [[rng.choice(places[tuple(p["vertices"][int(i)])]) for i in face] for face in p["faces"]]


def weld(p, rng):
    """Merges vertices with the same words."""
    places = {}
    p["faces"] = [[str(places.setdefault(tuple(p["vertices"][int(i)]), len(places))) for i in face] for face in p["faces"]]
    p["vertices"] = [list(v) for v in places]


def respell(word, rng):
    """The same float64 in other words."""
    x = float(word)
    kind = rng.randrange(9)
    if kind == 0 and x == 0:
        return rng.choice(("-0", "0", "-0.000", "0e+12", "000", "-0e-7"))
    if kind == 1:
        return "%.20e" % x
    if kind == 2 and "e" not in word:
        return word + "0" * rng.randint(1, 5) if "." in word else word + "." + "0" * rng.randint(1, 9)
    if kind == 3 and "e" not in word:
        return ("-00" + word[1:]) if word.startswith("-") else "00" + word
    if kind == 4 and "e" not in word:
        return word + rng.choice(("e+0", "e-0", "e+000"))
    if kind == 5:
        return "%.16e" % x
    if kind == 6 and 1e-3 < abs(x) < 1e9:
        n, d = x.as_integer_ratio()
        k = d.bit_length() - 1
        if k <= 18:
            return "%s%de-%d" % ("-" if x < 0 else "", abs(n) * 5**k, k) if len(str(abs(n) * 5**k)) < 25 else word
    if kind == 7 and 1e-3 < abs(x) < 1e9:
        return "%.17f" % x if float("%.17f" % x) == x else word
    return word


def other_spelling(p, rng):
    share = rng.choice((0.1, 1))

    def change(word):
        return respell(word, rng) if rng.random() < share and word[-1:].isdigit() else word

    p["vertices"] = [[change(x) for x in v] for v in p["vertices"]]
    rows = []
    for w in p["points"]:
        w = w[:1] + [change(x) for x in w[1:4]] + w[4:]
        if w[7:8] != ["none"]:
            w[6] = change(w[6])
        if w[7] in ("ray", "sum"):
            first = {"ray": 9, "sum": 8}[w[7]]
            last = {"ray": 12, "sum": 13}[w[7]]
            w[first:last] = [change(x) for x in w[first:last]]
        rows.append(w)
    p["points"] = rows


def other_tree(p, rng):
    faces = [str(f) for f in range(len(p["faces"]))]
    rng.shuffle(faces)
    leaves, inner = [], [0]

    def build(part):
        if len(part) == 1 or rng.random() < 0.15:
            leaves.append([str(inner[0])] + part)
            inner[0] = 0
            return
        inner[0] += 1
        k = rng.randint(1, len(part) - 1)
        build(part[:k])
        build(part[k:])

    if faces:
        build(faces)
    p["tree"] = leaves


def other_scale(p, rng):
    p["scale"] = str(min(1074, int(p["scale"]) + rng.choice((1, 7, 64, 1074))))


def other_name(p, rng):
    p["name"] = rng.choice(("", "a%20b", "cube.stl", "x" * 300, "%0A"))


def other_rows(p, rng):
    row = rng.choice((0, 1, 10**9))
    rows = []
    for w in p["points"]:
        rows.append([str(row)] + w[1:])
        row += rng.randint(1, 3)
    p["points"] = rows


def capitals(p, rng):
    p["sha"], p["mesh"] = p["sha"].upper(), p["mesh"].upper()


def fewer_rows(p, rng):
    """Leaves one of the points with a proof."""
    proved = [w for w in p["points"] if w[7] != "none"]
    if proved and len(proved) == len(p["points"]):
        p["points"] = [rng.choice(proved)]


SAME = (split, split, renumber, repeat_vertices, weld, other_spelling, other_tree, other_scale, other_name, other_rows, capitals, fewer_rows)


# Changes that can make a false statement.


def turn(p, faces):
    """Turns faces over in the mesh, without a word in the list."""
    p["faces"] = [[a, c, b] if f in faces else [a, b, c] for f, (a, b, c) in enumerate(p["faces"])]


def some(n, rng):
    return {f for f in range(n) if rng.random() < rng.choice((0.1, 0.5))}


def turned_faces(p, rng, family):
    faces = some(len(p["faces"]), rng)
    turn(p, faces)
    if rng.random() < 0.8:
        p["flipped"] = [[str(f)] for f in sorted(faces)]
    p["rehash"] = True


def other_list(p, rng, family):
    p["flipped"] = [[str(f)] for f in sorted(some(len(p["faces"]), rng))]


def other_mode(p, rng, family):
    p["orient"] = rng.choice(MODES + ("Never", "", "none"))


def other_rule(p, rng, family):
    p["rule"] = rng.choice(RULES)


def other_version(p, rng, family):
    p["version"] = rng.choice(("1", "2", "2", "3", "02"))
    p["orient"], p["pose"] = p["orient"] or rng.choice(MODES), p["pose"] or rng.choice(("identity", "0"))


def moved_vertex(p, rng, family):
    if p["vertices"]:
        p["vertices"] = [list(v) for v in p["vertices"]]
        rng.choice(p["vertices"])[rng.randrange(3)] = rng.choice(("0", "1", "-1", "0.5", "2", "1e-30", "1e+30"))
        p["rehash"] = True


def other_faces(p, rng, family):
    p["faces"] = list(p["faces"])
    if p["faces"]:
        i, j = rng.randrange(len(p["faces"])), rng.randrange(len(p["faces"]))
        kind = rng.randrange(4)
        if kind == 0:
            p["faces"][i], p["faces"][j] = p["faces"][j], p["faces"][i]
        elif kind == 1:
            p["faces"].pop(i)
        elif kind == 2:
            p["faces"].append(p["faces"][i])
        else:
            p["faces"][i] = p["faces"][i][1:] + p["faces"][i][:1]
        if kind in (1, 2):
            other_tree(p, rng)
        p["rehash"] = True


def rows_of_another(p, rng, family):
    """Takes rows of another proof of the family: the points have the same numbers."""
    q = rng.choice(family.proofs)
    by_row = {w[0]: w for w in q["points"]}
    p["points"] = [by_row.get(w[0], w) if rng.random() < 0.7 else w for w in p["points"]]


def change_row(p, rng, change):
    if p["points"]:
        i = rng.randrange(len(p["points"]))
        w = list(p["points"][i])
        change(w)
        p["points"] = p["points"][:i] + [w] + p["points"][i + 1 :]


def other_side(p, rng, family):
    def change(w):
        w[4] = rng.choice(SIDES)
        if rng.random() < 0.8 and w[6] not in ("-", "0"):
            w[6] = w[6].lstrip("-")
            w[6] = "-" + w[6] if w[4] == "in" else w[6]

    change_row(p, rng, change)


def other_winding(p, rng, family):
    def change(w):
        if w[7] in ("ray", "sum"):
            w[8] = rng.choice(("0", "1", "-1", "2", "-", "0.5", "1e-9", "-0", "00"))

    other_side(p, rng, family)
    change_row(p, rng, change)


def other_bound(p, rng, family):
    def change(w):
        if w[7] == "sum":
            w[9] = rng.choice(("0", "1", "1e-18", "-1", "1e+300", "0.3"))

    change_row(p, rng, change)


def other_kind(p, rng, family):
    """Turns a proof into one of another kind."""

    def change(w):
        kind = rng.choice(("on", "box", "ray", "sum", "none"))
        rest = w[9:] if w[7] == "ray" else w[10:] if w[7] == "sum" else ["9", "8", "7"]
        if kind == "ray":
            w[7:] = ["ray", rng.choice(("-", "0", "1", "-1", "2"))] + rest
        elif kind == "sum":
            w[7:] = ["sum", rng.choice(("0", "1", "-1", "0.75", "2")), rng.choice(("0.001", "1", "1e+9"))] + rest
        elif kind == "on":
            w[4:] = ["on", "-", "-", "on", str(rng.randrange(max(1, len(p["faces"]))))]
        elif kind == "box":
            w[7:] = ["box"]
        else:
            w[5:] = ["-", "-", "none"]
        if rng.random() < 0.3:
            w[4] = rng.choice(SIDES)

    change_row(p, rng, change)


def other_crossings(p, rng, family):
    def change(w):
        if w[7] in ("ray", "sum"):
            first = {"ray": 12, "sum": 13}[w[7]]
            kind = rng.randrange(5)
            if kind == 0 and len(w) > first:
                w.pop(rng.randrange(first, len(w)))
            elif kind == 1:
                w.append(rng.choice("+-") + str(rng.randrange(max(1, len(p["faces"])))))
            elif kind == 2 and len(w) > first:
                w[-1] = {"+": "-", "-": "+"}.get(w[-1][:1], "+") + w[-1][1:]
            elif kind == 3:
                w[first - 3 : first] = [rng.choice(("0", "2", "-1", "0.5", "1e+9")) for _ in range(3)]
            else:
                w[first:] = []
            if w[7] == "ray" and rng.random() < 0.7 and w[8] != "-":
                w[8] = str(sum({"+": 1, "-": -1}.get(x[:1], 0) for x in w[first:]))

    change_row(p, rng, change)
    if rng.random() < 0.5:
        other_side(p, rng, family)


def other_distance(p, rng, family):
    def change(w):
        if w[6] not in ("-", "0") and w[5].isdigit():
            kind = rng.randrange(4)
            if kind == 0:
                w[5] = str(rng.randrange(max(1, len(p["faces"]))))
            elif kind == 1:
                w[6] = repr(math.nextafter(float(w[6]), rng.choice((-math.inf, math.inf))))
            elif kind == 2:
                w[5:7] = ["-", "-"]
            else:
                w[6] = rng.choice(("0", "-0", "1e-300", w[6].lstrip("-"), "-" + w[6].lstrip("-")))

    change_row(p, rng, change)


def other_point(p, rng, family):
    def change(w):
        w[1:4] = rng.choice(p["points"])[1:4] if rng.random() < 0.5 else [rng.choice(("0", "0.5", "1", "0.25", "-1", "1e-40")) for _ in range(3)]

    change_row(p, rng, change)


WORDS = ("nan", "NaN", "inf", "+Inf", "1_0", "0x10", "0x1p3", "\u0661", "\u00b2", "", "-", "+1", ".5", "5.", "1E5", "1e5", "true", "\t1", "1\r", "none", "evil", "1e+999", "-1", "00", "9" * 30)


def strange_word(p, rng, family):
    place = rng.choice(("vertices", "faces", "flipped", "tree", "points"))
    if p[place]:
        i = rng.randrange(len(p[place]))
        w = list(p[place][i])
        w[rng.randrange(len(w))] = rng.choice(WORDS)
        p[place] = p[place][:i] + [w] + p[place][i + 1 :]


def strange_head(p, rng, family):
    place = rng.choice(("sha", "size", "name", "mesh", "rule", "scale", "pose", "orient"))
    old = p[place] or ""
    p[place] = rng.choice(WORDS + (old + "0", old[:-1], old + " (checked)", " " + old, old + "\r", old.upper(), "0" * 64, "g" * 64))


def broken_tree(p, rng, family):
    if p["tree"]:
        i = rng.randrange(len(p["tree"]))
        w = list(p["tree"][i])
        kind = rng.randrange(4)
        if kind == 0:
            w.pop(rng.randrange(len(w)))
        elif kind == 1:
            w[rng.randrange(len(w))] = str(rng.randrange(1 + len(p["faces"])))
        elif kind == 2:
            w.append(rng.choice(w))
        p["tree"] = p["tree"][:i] + ([w] if kind < 3 else []) + p["tree"][i + 1 :]


def empty_words(p, rng, family):
    """A row without a proof, with words."""

    def change(w):
        w[5:] = ["-", "-", "none"]
        w[rng.randint(1, 4)] = rng.choice(WORDS + SIDES)

    change_row(p, rng, change)


LIES = (turned_faces, turned_faces, turned_faces, other_list, other_mode, other_rule, other_rule, other_version, moved_vertex, other_faces, rows_of_another,
        rows_of_another, other_side, other_winding, other_bound, other_kind, other_kind, other_crossings, other_crossings, other_distance, other_point,
        strange_word, strange_head, broken_tree, empty_words)


def scramble(data, rng):
    """Changes bytes or lines."""
    kind = rng.randrange(6)
    if kind < 3:
        i = rng.randrange(len(data))
        piece = bytes([rng.choice(b"0123456789 +-.e_nxa\n") if rng.random() < 0.8 else rng.randrange(256)])
        return data[:i] + piece * (kind != 2) + data[i + (kind != 1) :]
    if kind == 3:
        return data + rng.choice((b"\n", b" ", b"end\n", b"\0", data))
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind == 4:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i:i] = [lines[j]]
    return b"\n".join(lines)


class Family:
    def __init__(self, folder, name):
        self.name = name
        with open(os.path.join(folder, name + ".stl"), "rb") as f:
            self.stl = f.read()
        self.sha = hashlib.sha256(self.stl).hexdigest()
        n = struct.unpack_from("<I", self.stl, 80)[0]
        raw = [struct.unpack_from("<9f", self.stl, 96 + 50 * f) for f in range(n)]
        self.triangles = tuple(tuple(tuple(x + 0.0 for x in r[3 * k : 3 * k + 3]) for k in range(3)) for r in raw)
        self.proofs, self.genuine = [], []
        for path in sorted(glob.glob(os.path.join(folder, name + ".*.proof"))):
            with open(path, "rb") as f:
                p = parse(f.read())
            self.proofs.append(p)
            if p["sha"] == self.sha:
                self.genuine.append(p)


def verdict(data, family, with_source):
    """The report and the exit code, or None and 1."""
    try:
        return check.check(io.BytesIO(data), io.BytesIO(family.stl) if with_source else None)
    except check.Refused as e:
        return str(e), 1


def sides(data):
    return [w[4] for w in parse(data)["points"]]


def main():
    folder, seed, count = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    names = sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(folder, "*.stl")))
    families = [Family(folder, name) for name in names]
    codes, tally, used = {}, collections.Counter(), collections.Counter()
    wrong = 0
    for n in range(count):
        rng = random.Random("%d %d" % (seed, n))
        family = rng.choice(families)
        with_source = rng.random() < 0.75
        scenario = rng.choices(("same", "lie", "transplant", "scramble"), (25, 35, 30, 10))[0]
        base = rng.choice(family.proofs if scenario == "transplant" else family.genuine)
        p = dict(base)
        changes = []
        expected = None
        if scenario == "same":
            key = id(base), with_source
            if key not in codes:
                codes[key] = verdict(render(base), family, with_source)[1]
            expected = codes[key]
        elif scenario == "transplant":
            p["sha"], p["size"] = family.sha, str(len(family.stl))
            differ = [f for f, (t, u) in enumerate(zip(triangles_of(p), family.triangles)) if t != u]
            p["flipped"] = [[str(f)] for f in differ] if rng.random() < 0.8 else rng.choice(([], p["flipped"]))
            changes = [other_mode, other_version, other_rule, rows_of_another] if rng.random() < 0.5 else []
            changes = [c for c in changes if rng.random() < 0.5]
            if rng.random() < 0.3:
                changes.append(rng.choice(LIES))
        else:
            changes = rng.sample(LIES, rng.randint(1, 3))
        same = rng.sample(SAME, rng.randint(1, 4) if scenario == "same" else rng.choice((0, 0, 1, 2)))
        try:
            for change in changes:
                change(p, rng, family)
            for change in same:
                change(p, rng)
        except (ValueError, IndexError, KeyError):
            pass  # an earlier change left words that are no numbers
        if p.pop("rehash", False) and rng.random() < 0.95:
            try:
                p["mesh"] = digest(triangles_of(p))
            except (ValueError, IndexError, OverflowError):
                pass
        for change in changes + same:
            used[change.__name__] += 1
        text = render(p)
        if scenario == "scramble":
            text = scramble(text, rng)
        report, code = verdict(text, family, with_source)
        tally[scenario, code] += 1
        problem = None
        if code != 1:
            try:
                problem = complaint(text, family, with_source, report, code)
            except (Unreadable, ValueError, IndexError, StopIteration) as e:
                problem = "the referee cannot read it: %r" % e
        if expected is not None and code != expected:
            problem = "exit code %d, expected %d: %s" % (code, expected, report)
        if problem:
            wrong += 1
            print("wrong: seed %d, file %d, family %s, %s, %s%s: %s" % (
                seed, n, family.name, scenario, " ".join(c.__name__ for c in changes + same), ", with the source" if with_source else "", problem))
            if os.environ.get("ATTACK_SAVE"):
                with open(os.path.join(os.environ["ATTACK_SAVE"], "wrong-%d-%d.proof" % (seed, n)), "wb") as f:
                    f.write(text)
    print("files: %d" % count)
    for scenario, code in sorted(tally):
        print("%s, exit code %d: %d" % (scenario, code, tally[scenario, code]))
    print("changes: " + ", ".join("%s %d" % (name, used[name]) for name in sorted(used)))
    print("wrong verdicts: %d" % wrong)


if __name__ == "__main__":
    main()
