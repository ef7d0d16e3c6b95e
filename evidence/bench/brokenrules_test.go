package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// allRules are the rules of the functions of other libraries.
func allRules() (rules []rule) {
	seen := map[string]bool{}
	for _, r := range brokenRivals {
		if !seen[r.rule.key()] {
			seen[r.rule.key()] = true
			rules = append(rules, r.rule)
		}
	}
	return rules
}

// brokenCaseOf returns a mesh of the table with n of its points and their sides by the rule of inpoly.
func brokenCaseOf(t *testing.T, key string, n int) *brokenCase {
	t.Helper()
	for _, j := range brokenMeshes() {
		if j.key == key {
			m := testmesh.Mesh(j.soup)
			pts, err := j.points(m, n)
			if err != nil {
				t.Fatal(err)
			}
			return &brokenCase{brokenMesh: j, mesh: m, pts: pts, truth: j.truths(m, pts)}
		}
	}
	t.Fatalf("no mesh %s", key)
	return nil
}

// On a solid, all rules agree. This holds for rules that look at one nearest point or at single rays only
// because they are evaluated without rounding.
func TestRulesOfSolids(t *testing.T) {
	for _, key := range []string{"sphere", "aligned", "near", "plate", "cavity", "on"} {
		c := brokenCaseOf(t, key, 30)
		c.solid = key == "aligned" || key == "plate" // elsewhere, rays are followed to the first face
		for _, r := range allRules() {
			truths := c.truthsBy(r)
			undecideds := 0
			for i, x := range truths {
				switch {
				case x == undecided:
					undecideds++
				case x == insideOrOn:
					if c.truth[i] != 2 && r.slop == 0 {
						t.Errorf("%s, %s: insideOrOn at %v", key, r.name, c.pts[i])
					}
				case x != c.truth[i]:
					t.Errorf("%s, %s: %d at %v, want %d", key, r.name, x, c.pts[i], c.truth[i])
				}
			}
			if undecideds > 2 {
				t.Errorf("%s, %s: %d of %d points undecided", key, r.name, undecideds, len(truths))
			}
		}
	}
}

// The sides of single points by each rule follow from the construction of the meshes.
func TestRulesOfDefects(t *testing.T) {
	x := func(x float64) r3.Vector { return r3.Vector{X: x + 0.003, Y: 0.01, Z: 0.02} } // off the planes of symmetry
	for _, c := range []struct {
		key  string
		rule rule
		p    r3.Vector
		want byte
	}{
		{"nested", byWinding, x(0), 1}, {"nested", byPositive, x(0), 1}, {"nested", bySixRays, x(0), 1}, {"nested", bySignedZ, x(0), 1},
		{"nested", byParity, x(0), 0}, {"nested", byParity, x(0.75), 1}, {"nested", oddAlong(axes[2]), x(0), 0},
		{"nested", byNormal, x(0.4), 1}, {"nested", byNormal, x(0.6), 0}, {"nested", byNormal, x(0.9), 1},
		{"nested", byPlane, r3.Vector{X: 0.35, Y: 0.36, Z: 0.37}, 0}, {"nested", firstAlong(r3.Vector{X: 1}), x(0.75), 1}, {"nested", firstAlong(r3.Vector{X: -1}), x(0.75), 0},
		{"nested", byFirsts, x(-0.75), 1}, // +x meets the inner sphere, +y and +z the outer one
		{"inverted", byWinding, x(0), 1}, {"inverted", byPositive, x(0), 0}, {"inverted", bySixRays, x(0), 0}, {"inverted", bySignedZ, x(0), 1},
		{"inverted", byParity, x(0), 1}, {"inverted", byNormal, x(0.5), 0}, {"inverted", byNormal, x(1.5), 1},
		{"inverted", firstAlong(embreeDirection), x(0), 0}, {"inverted", firstAlong(r3.Vector{X: -1}), x(1.5), 1},
		{"hole", byParity, x(0), undecided}, {"hole", byWinding, x(0), 1}, {"hole", oddAlong(axes[2]), x(0), 0}, {"hole", oddAlong(axes[2].Mul(-1)), x(0), 1},
		{"hole", bySixRays, x(0), 1}, {"hole", bySignedZ, x(0), 0}, {"hole", byFirsts, x(0), 1}, {"hole", byNormal, x(0.9), 1}, {"hole", byNormal, x(1.1), 0},
		{"overlap", byParity, x(0), 0}, {"overlap", byWinding, x(0), 1},
		{"pentagram", byParity, x(0), 0}, {"pentagram", byPositive, x(0), 1},
		{"edge", byParity, r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, 1}, {"edge", firstAlong(axes[2]), r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, 1}, // the ray meets a diagonal of a square
		{"edge", firstAlong(axes[2]), r3.Vector{Z: -1}, undecided}, // the ray meets a corner and runs along faces
		{"Klein", byParity, r3.Vector{X: 3.6}, 1}, {"Klein", byParity, r3.Vector{}, 0},
	} {
		for _, j := range brokenMeshes() {
			if j.key == c.key {
				b := &brokenCase{brokenMesh: j, mesh: testmesh.Mesh(j.soup), pts: []r3.Vector{c.p}, truth: []byte{0}}
				if got := b.truthsBy(c.rule)[0]; got != c.want {
					t.Errorf("%s, %s at %v: %d, want %d", c.key, c.rule.name, c.p, got, c.want)
				}
			}
		}
	}
}

// Exact rays of open meshes cross the same faces as segments that end far outside.
func TestRuleRays(t *testing.T) {
	for _, key := range []string{"hole", "holes", "cracks", "flipped", "Klein"} {
		c := brokenCaseOf(t, key, 25)
		j := newRuleJudge(c.mesh, false)
		for i, p := range c.pts {
			d := []r3.Vector{embreeDirection, warpDirection, axes[1]}[i%3]
			hits, clean := j.hits(p, d)
			if !clean {
				continue
			}
			far, want := p.Add(d.Mul(64)), 0
			for f := range int32(c.mesh.NumFaces()) {
				tri := c.mesh.Triangle(f)
				in, out := referee.Orient3D(tri[0], tri[1], tri[2], p), referee.Orient3D(tri[0], tri[1], tri[2], far)
				s := referee.Orient3D(p, far, tri[0], tri[1])
				if in != out && s == referee.Orient3D(p, far, tri[1], tri[2]) && s == referee.Orient3D(p, far, tri[2], tri[0]) {
					want += in
				}
			}
			got := 0
			for _, h := range hits {
				got += h.sign
				at, _ := h.depth().Float64()
				if off := math.Abs(p.Add(d.Mul(at)).Sub(h.corners[0]).Dot(h.corners[1].Sub(h.corners[0]).Cross(h.corners[2].Sub(h.corners[0])).Normalize())); off > 1e-12 {
					t.Errorf("%s: the hit at %v is %g from its face", key, at, off)
				}
			}
			if got != want {
				t.Errorf("%s: signed crossings from %v along %v are %d, want %d", key, p, d, got, want)
			}
		}
	}
}

// A small determinant is computed exactly.
func TestDetSign(t *testing.T) {
	p, d := r3.Vector{X: 0.1, Y: 0.2, Z: 0.3}, r3.Vector{X: 0.7, Y: 0.9, Z: 1.1}
	a := p.Add(r3.Vector{X: 3, Y: 5, Z: 7})
	for _, c := range []struct {
		b    r3.Vector
		want int
	}{
		{a, 0}, {p, 0}, {r3.Vector{X: a.X, Y: a.Y, Z: math.Nextafter(a.Z, 9)}, detOf(d, a.Sub(p), r3.Vector{Z: 1})},
	} {
		if got := detSign(p, d, a, c.b); got != c.want {
			t.Errorf("b = %v: %d, want %d", c.b, got, c.want)
		}
	}
}

func detOf(u, v, w r3.Vector) int {
	if u.Dot(v.Cross(w)) > 0 {
		return 1
	}
	return -1
}

// Answers count as wrong by the rule of their function, and as different by the rule of inpoly.
func TestJudged(t *testing.T) {
	c := &brokenCase{truth: []byte{0, 1, 1, 2, undecided, 0}}
	o := c.judged([]byte{0, 0, 1, 1, 1, 0}, []byte{1, 0, undecided, insideOrOn, 1, insideOrOn})
	if o.wrong != 2 || o.undefined != 1 || o.differ != 2 {
		t.Errorf("got %+v", o)
	}
	if got := c.judged([]byte{0, 0, 0, 0, 0, 0}, bytes.Repeat([]byte{undecided}, 6)).String(); got != "undefined" {
		t.Errorf("all undecided: %q", got)
	}
}

// The convention of a function for inverted meshes follows from its answers.
func TestConvention(t *testing.T) {
	c := &brokenCase{truth: []byte{0, 1, 1, 0}}
	for want, answers := range map[string][]byte{
		"the inside is inside": {0, 1, 1, 0}, "the outside is inside": {1, 0, 0, 1}, "nothing is inside": {0, 0, 0, 0}, "1 points are inside": {0, 1, 0, 0},
	} {
		if got := c.convention(c.judged(answers, c.truth)); got != want {
			t.Errorf("%v: %q, want %q", answers, got, want)
		}
	}
	if got := c.convention(outcome{state: refuses}); got != refuses {
		t.Errorf("got %q", got)
	}
}

// A point whose two nearest faces have opposite sides is undecided.
func TestNearestTies(t *testing.T) {
	var soup mesh.Soup
	for _, z := range []float64{0, 1} { // both normals point up
		n := int32(len(soup.Vertices))
		soup.Vertices = append(soup.Vertices, r3.Vector{X: -9, Y: -9, Z: z}, r3.Vector{X: 9, Y: -9, Z: z}, r3.Vector{Y: 9, Z: z})
		soup.Faces = append(soup.Faces, [3]int32{n, n + 1, n + 2})
	}
	c := &brokenCase{mesh: testmesh.Mesh(soup), pts: []r3.Vector{{Z: 0.5}, {Z: 0.4}, {Z: 0.6}, {Z: 1.1}}, truth: make([]byte, 4)}
	if got, want := c.truthsBy(byNormal), []byte{undecided, 0, 1, 0}; !bytes.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// standIn answers “outside” for all points.
const standIn = `#!/bin/sh
[ "$1" != --version ] || { echo 1.2; exit; }
n=$(($(wc -c <"$2") / 24))
head -c $n /dev/zero >"$3"
echo "{\"build\":1,\"query\":2,\"np\":$n,\"inside\":0}"
`

// The table versions leaves out libraries that are not there, and asks both versions of the others.
func TestVersionsTable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	b := &bench{bin: t.TempDir(), tmp: t.TempDir(), threads: 2, calls: 1, most: 1000, quick: true, match: "edge", ctx: t.Context()}
	if err := b.versionsTable(); err != nil {
		t.Errorf("without libraries: %v", err)
	}
	for _, name := range []string{"cgal_sides", "cgal6_sides", "embree_sides"} {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(standIn), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	old := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	err = b.versionsTable()
	os.Stdout = old
	w.Close()
	out, readErr := io.ReadAll(r)
	if err != nil || readErr != nil {
		t.Fatal(err, readErr)
	}
	if s := string(out); strings.Count(s, "\n| CGAL |") != 3 || strings.Contains(s, "Embree") || !strings.Contains(s, "| 0 | 1 | 0.0005 |") {
		t.Errorf("printed %s", s)
	}
}

func TestMiddle(t *testing.T) {
	if got, want := middle([]float64{3, 1, 2}), "2 | 1–3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
