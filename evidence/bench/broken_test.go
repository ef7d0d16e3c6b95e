package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// All methods of inpoly are right on all broken meshes, and each mesh has points on both sides.
func TestBrokenMeshes(t *testing.T) {
	b := &bench{tmp: t.TempDir(), threads: 2, ctx: t.Context()}
	for _, j := range brokenMeshes() {
		c, err := b.brokenCase(j, 40, nil)
		if err != nil {
			t.Fatalf("%s: %v", j.key, err)
		}
		if c.ours.wrong > 0 {
			t.Errorf("%s: %d wrong answers", j.key, c.ours.wrong)
		}
		in, out, on := bytes.Count(c.truth, []byte{1}), bytes.Count(c.truth, []byte{0}), bytes.Count(c.truth, []byte{2})
		if want := j.key == "on"; want != (on == 40) || !want && (in == 0 || out == 0 || in+out != 40) {
			t.Errorf("%s: %d inside, %d outside, %d on the surface", j.key, in, out, on)
		}
		if j.solid && !c.mesh.Closed() {
			t.Errorf("%s: a solid is not closed", j.key)
		}
		for _, v := range c.mesh.Vertices {
			if j.key != "far" && v != (r3.Vector{X: float64(float32(v.X)), Y: float64(float32(v.Y)), Z: float64(float32(v.Z))}) {
				t.Fatalf("%s: single precision cannot represent %v", j.key, v)
			}
		}
	}
}

// The truth follows from the construction of the meshes.
func TestBrokenTruths(t *testing.T) {
	known := map[string][]struct {
		p    r3.Vector
		want byte
	}{
		"sphere":    {{r3.Vector{}, 1}, {r3.Vector{X: 1.1}, 0}, {r3.Vector{X: 1}, 2}},
		"cavity":    {{r3.Vector{}, 0}, {r3.Vector{X: 0.75}, 1}},
		"nested":    {{r3.Vector{}, 1}, {r3.Vector{X: 0.75}, 1}, {r3.Vector{X: 2}, 0}},
		"overlap":   {{r3.Vector{}, 1}, {r3.Vector{X: -1.2}, 1}, {r3.Vector{X: 1.7}, 0}},
		"pentagram": {{r3.Vector{}, 1}, {r3.Vector{X: 0.9}, 1}, {r3.Vector{X: -0.9}, 0}},
		"hole":      {{r3.Vector{}, 1}, {r3.Vector{Z: 0.9}, 0}, {r3.Vector{X: 1}, 2}},
		"inverted":  {{r3.Vector{}, 1}, {r3.Vector{X: 1.1}, 0}},
		"Klein":     {{r3.Vector{X: 3.6}, 1}, {r3.Vector{}, 0}},
		"edge":      {{r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, 1}, {r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}, 0}, {r3.Vector{X: 1, Y: 1, Z: 0.5}, 2}},
	}
	for _, j := range brokenMeshes() {
		m := testmesh.Mesh(j.soup)
		for _, k := range known[j.key] {
			if got := j.truths(m, []r3.Vector{k.p}); got[0] != k.want {
				t.Errorf("%s at %v: %d, want %d", j.key, k.p, got[0], k.want)
			}
		}
	}
}

func TestSolidAngle(t *testing.T) {
	cube := testmesh.UnitCube()
	sum := 0.0
	for _, f := range cube.Faces[:2] { // one side
		p := r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}
		sum += solidAngle(cube.Vertices[f[0]].Sub(p), cube.Vertices[f[1]].Sub(p), cube.Vertices[f[2]].Sub(p))
	}
	if want := 4 * math.Pi / 6; math.Abs(sum-want) > 1e-14 {
		t.Errorf("a side of a cube has the solid angle %v, want %v", sum, want)
	}
}

func TestAskBroken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	b := &bench{bin: "testdata", tmp: t.TempDir(), threads: 2, ctx: t.Context()}
	for _, c := range []struct {
		program string
		points  int
		ok      bool
		refuses bool
	}{
		{"good.sh", 3, true, false}, {"good.sh", 4, true, false}, {"good.sh", 2, false, false}, {"silent.sh", 3, false, false},
		{"fails.sh", 3, false, false}, {"refuses.sh", 3, false, true}, {"absent", 3, false, false},
	} {
		_, answers, err := b.askBroken(brokenRival{program: c.program}, "m", "p", c.points, 1)
		if (err == nil) != c.ok || errors.Is(err, errRefuses) != c.refuses {
			t.Errorf("%s for %d points: answers %v, error %v", c.program, c.points, answers, err)
		}
	}
}

// A function that cannot say “on the surface” is not asked about points on the surface.
func TestBrokenOutcomes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-ins are shell scripts")
	}
	b := &bench{bin: "testdata", tmp: t.TempDir(), threads: 2, ctx: t.Context()}
	j := brokenMesh{key: "tetrahedron", soup: testmesh.Tetrahedron(), axis: 2, at: 0.1, choose: func(*mesh.Mesh, int) ([]r3.Vector, error) {
		return []r3.Vector{{X: 0.1, Y: 0.1, Z: 0.1}, {X: 0.9, Y: 0.9, Z: 0.1}, {}}, nil // inside, outside, on a vertex
	}}
	c, err := b.brokenCase(j, 3, []brokenRival{
		{program: "good.sh", hasOn: true, panel: "good"}, {program: "good.sh"}, {program: "refuses.sh", hasOn: true}, {program: "fails.sh", hasOn: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range c.others {
		got = append(got, o.String())
	}
	// good.sh answers outside, inside, on the surface.
	if want := []string{"2", noState, refuses, fails}; !slices.Equal(got, want) {
		t.Errorf("outcomes %v, want %v", got, want)
	}
	if solid, err := c.solidPicture(t.Context()); err != nil || !bytes.HasPrefix(solid, []byte("\x89PNG")) {
		t.Errorf("the picture of the solid: %.8q, error %v", solid, err)
	}
	picture := c.picture([]brokenRival{{panel: "good"}, {}, {}, {}})
	decoder := xml.NewDecoder(bytes.NewReader(picture))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is not XML: %v", err)
		}
	}
	for _, want := range []string{">inpoly<", ">0 of 3 wrong<", ">good<", ">2 of 3 differ, 2 wrong<", `class="falsein"`, `class="falseout"`, `class="mesh"`} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
}

func TestWritePLY(t *testing.T) {
	want := testmesh.Mesh(testmesh.Translate(testmesh.UnitCube(), r3.Vector{X: 1e7 + 1.0/3}))
	name := filepath.Join(t.TempDir(), "m.ply")
	if err := writePLY(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := load(t.Context(), name, 1)
	if err != nil || !slices.Equal(got.Vertices, want.Vertices) || !slices.Equal(got.Faces, want.Faces) {
		t.Errorf("got %v, %v", got, err)
	}
}

// The tables of docs/comparison.md are those that evidence/bench/broken.sh and evidence/bench/versions.sh have printed.
func TestComparisonDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	var results []byte
	for _, name := range []string{"results/broken.md", "results/versions.md"} {
		part, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, part...)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if !strings.HasPrefix(line, "| ") || !slices.ContainsFunc(append(brokenRivals, brokenRival{tool: "inpoly"}), func(r brokenRival) bool { return r.tool == first }) {
			continue
		}
		rows++
		if !strings.Contains(string(results), line) {
			t.Errorf("the results lack the row %s", line)
		}
	}
	if want := 3*(len(brokenRivals)-2) + 3*len(versionPairs); rows < want { // two functions may be missing
		t.Errorf("%d rows, want at least %d", rows, want)
	}
}
