package mesh_test

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// TestCapped checks many meshes. The caps must close the mesh, and the faces must not change.
func TestCapped(t *testing.T) {
	cases := append(testmesh.Catalog(), []testmesh.Case{
		{Name: "tangle", Soup: testmesh.Tangle(10, 300, 2)},
		{Name: "copies", Soup: testmesh.Copies(testmesh.Hemisphere(2), 5)},
		{Name: "soup", Soup: testmesh.Triangles(80, 3)},
		{Name: "cracks", Soup: testmesh.Corners(testmesh.Without(testmesh.Star(3, .5, 1), 0, 1, 2, 3, 50, 51, 99))},
	}...)
	open := 0
	for _, tc := range cases {
		t.Run(tc.Name, func(t *testing.T) {
			m := testmesh.Mesh(tc.Soup)
			closed, caps, err := m.Capped(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := closed.Validate(); err != nil {
				t.Fatal(err)
			}
			if m.Closed() {
				if closed != m || caps != nil {
					t.Errorf("closed: %d caps", len(caps))
				}
				return
			}
			open++
			n := m.NumFaces()
			edges := 0
			for _, e := range m.Boundary() {
				edges += int(max(e.Mult, -e.Mult))
			}
			switch {
			case !closed.Closed():
				t.Errorf("%d boundary edges are left of %d", len(closed.Boundary()), len(m.Boundary()))
			case !slices.Equal(closed.Faces[:n], m.Faces) || !slices.Equal(closed.Vertices, m.Vertices):
				t.Error("faces or vertices of the mesh have changed")
			case closed.NumFaces() != n+len(caps) || len(caps) == 0 || len(caps) > edges-2:
				t.Errorf("%d faces, %d with caps, %d caps of %d edges", n, closed.NumFaces(), len(caps), edges)
			}
			for i, c := range caps {
				if c != closed.Triangle(int32(n+i)) {
					t.Errorf("cap %d is %v, face %v", i, c, closed.Triangle(int32(n+i)))
				}
			}
			one, _, err := m.Capped(t.Context(), 1)
			if err != nil || !slices.Equal(one.Faces, closed.Faces) {
				t.Errorf("one worker: error %v, or other caps", err)
			}
		})
	}
	if open < 10 {
		t.Errorf("%d open meshes: the test tests little", open)
	}
}

// TestCappedRestores removes single triangles from a mesh. Some of these triangles share a vertex.
// The caps must be the removed triangles.
func TestCappedRestores(t *testing.T) {
	star := testmesh.Star(3, .5, 1)
	used := map[int32]bool{}
	var holes []int
	for hub := range int32(len(star.Vertices)) {
		if used[hub] {
			continue
		}
		for f, a := range star.Faces { // choose faces whose other two vertices are in no hole
			i := slices.Index(a[:], hub)
			if i < 0 || used[a[(i+1)%3]] || used[a[(i+2)%3]] {
				continue
			}
			holes = append(holes, f)
			used[a[0]], used[a[1]], used[a[2]] = true, true, true
		}
	}
	slices.Sort(holes)
	if len(holes) < 64 {
		t.Fatalf("%d holes: the test tests little", len(holes))
	}
	closed, caps, err := testmesh.Mesh(testmesh.Without(star, holes...)).Capped(t.Context(), 0)
	if err != nil || len(caps) != len(holes) {
		t.Fatalf("error %v, %d caps for %d holes", err, len(caps), len(holes))
	}
	for _, f := range holes {
		a := star.Faces[f]
		want := mesh.Triangle{star.Vertices[a[0]], star.Vertices[a[1]], star.Vertices[a[2]]}
		turned := [3]mesh.Triangle{want, {want[1], want[2], want[0]}, {want[2], want[0], want[1]}}
		if !slices.ContainsFunc(turned[:], func(c mesh.Triangle) bool { return slices.Contains(caps, c) }) {
			t.Errorf("face %d has not come back", f)
		}
	}
	if !closed.Closed() {
		t.Error("still open")
	}
}

// TestCappedValence bounds the number of caps at each vertex of a large hole.
func TestCappedValence(t *testing.T) {
	for _, levels := range []int{2, 4, 6} {
		m := testmesh.Mesh(testmesh.Hemisphere(levels))
		_, caps, err := m.Capped(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		n := len(m.Boundary())
		if len(caps) != n-2 {
			t.Errorf("%d caps for a loop of %d edges", len(caps), n)
		}
		valence := map[r3.Vector]int{}
		for _, c := range caps {
			for _, v := range c {
				valence[v]++
			}
		}
		most := 0
		for _, k := range valence {
			most = max(most, k)
		}
		if want := 2 * bits.Len(uint(n)); most > want {
			t.Errorf("a vertex of a loop of %d edges has %d caps, want at most %d", n, most, want)
		}
	}
}

func TestCappedCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []mesh.Soup{testmesh.UnitCube(), testmesh.Hemisphere(3)} {
		if _, _, err := testmesh.Mesh(s).Capped(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("%d faces: error %v, want %v", len(s.Faces), err, context.Canceled)
		}
	}
}
