package collide

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// TestMargins puts a node of one body onto a corner of another body, as accurately as rounding
// allows. The last bits of the node decide whether it is inside or outside, and whether the boxes
// and balls overlap. World must find every contact that twinContacts finds without boxes.
func TestMargins(t *testing.T) {
	n := 600
	if testing.Short() {
		n = 300
	}
	if os.Getenv("INPOLY_FULL") != "" {
		n = 100_000
	}
	var solids, direct []*inpoly.Solid
	for _, scale := range []float64{1, 1e-160, 1e140, 0x1p-30} {
		for _, s := range []mesh.Soup{
			testmesh.Tetrahedron(), testmesh.UnitCube(), testmesh.Soup(testmesh.Sphere(1)),
			testmesh.Translate(testmesh.Soup(testmesh.Sphere(0)), r3.Vector{X: 300, Y: -1000, Z: 77}),
		} {
			m := testmesh.Mesh(testmesh.Scale(s, scale))
			opt := inpoly.Options{Method: inpoly.RayCrossing, Workers: 1}
			solids = append(solids, solidOf(t, m, opt))
			opt.Method = inpoly.Direct
			direct = append(direct, solidOf(t, m, opt))
		}
	}
	r := rand.New(rand.NewPCG(13, 14))
	touching, apart := 0, 0
	for i := range n {
		k := r.IntN(len(solids)/4) * 4
		a, b := k+r.IntN(4), k+r.IntN(4)
		size := solids[b].Mesh().Box().Size().Norm()
		pa, pb := randomPose(r, 0), randomPose(r, size*math.Pow(10, 8*r.Float64()-4))
		if i%3 == 0 {
			pa.Rotation, pb.Rotation = pose.At(r3.Vector{}).Rotation, pose.At(r3.Vector{}).Rotation
		}
		va, vb := solids[a].Mesh().Vertices, solids[b].Mesh().Vertices
		nodeA, nodeB := va[r.IntN(len(va))], vb[r.IntN(len(vb))]
		if i%3 == 1 { // equal rotations, and nodes on opposite sides of the bodies: the bounding balls can touch there
			pb.Rotation = pa.Rotation
			box := solids[b].Mesh().Box()
			out := nodeB.Sub(box.Min.Add(box.Max).Mul(0.5)).Mul(1 / size)
			for _, v := range va {
				if v.Sub(nodeA).Mul(1/size).Dot(out) < 0 {
					nodeA = v
				}
			}
		}
		at := pb.Apply(nodeB)
		pa.Translation = at.Sub(pa.Apply(nodeA))
		w, err := New(t.Context(), []Body{{solids[a], pa}, {solids[b], pb}}, Options{Triangles: AllTriangles, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		want, _, _ := twinContacts(w, []*inpoly.Solid{direct[a], direct[b]})
		got := w.Contacts()
		for j, c := range got {
			if j >= len(want) || (twinContact{c.A, c.B, c.Node, c.Side}) != want[j] {
				t.Fatalf("case %d: contact %d is %+v, want %+v", i, j, c, want)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("case %d: %d contacts, want %+v", i, len(got), want)
		}
		faces := twinFacePairs(w, func(int, int) bool { return true })
		if len(faces) != len(w.FacePairs()) {
			t.Fatalf("case %d: %d pairs of faces, want %d", i, len(w.FacePairs()), len(faces))
		}
		if len(faces) > 0 {
			touching++
		} else {
			apart++
		}
	}
	if min(touching, apart) < n/20 {
		t.Errorf("%d touch, %d do not: the cases say little", touching, apart)
	}
}

// TestBound moves nodes into a cube. The nodes are far from the origin of their body. The test
// compares their depths with the depths of their exact positions. Contact.Bound must include the
// rounding of positions.
func TestBound(t *testing.T) {
	away := r3.Vector{X: 3e5, Y: -1e5, Z: 2e5}
	cube := solidOf(t, testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	far := solidOf(t, testmesh.Mesh(testmesh.Translate(testmesh.UnitCube(), away)), inpoly.Options{})
	r := rand.New(rand.NewPCG(23, 24))
	contacts, worst := 0, 0.0
	for range 300 {
		a, b := randomPose(r, 0), randomPose(r, 100)
		v := away
		at := b.Apply(r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()})
		a.Translation = at.Sub(a.Apply(v))
		w, err := New(t.Context(), []Body{{far, a}, {cube, b}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, c := range w.Contacts() {
			if c.A != 0 {
				continue
			}
			want := bigFloat(1)
			for _, x := range exactPlace(far.Mesh().Vertices[c.Node], a, b) {
				for _, d := range []*big.Float{x, bigFloat(0).Sub(bigFloat(1), x)} {
					if d.Cmp(want) < 0 {
						want = d
					}
				}
			}
			off, _ := bigFloat(0).Sub(bigFloat(c.Depth), want).Float64()
			if contacts++; !(math.Abs(off) <= c.Bound) {
				t.Fatalf("%+v: want the depth %v, off by %g", c, want, off)
			}
			worst = max(worst, math.Abs(off)/c.Bound)
		}
	}
	if contacts < 300 || worst < 0.001 {
		t.Errorf("%d contacts, at most %g of the bound was used: this says little", contacts, worst)
	}
}

// TestComplete checks that the tests of nodes and of triangles together miss nothing. Two bodies
// must have a contact or touching triangles if a sampled point of one body is in the other body.
func TestComplete(t *testing.T) {
	s := newScene(t, 11, inpoly.Auto)
	w := newWorld(t, s, Options{Triangles: MissedTriangles})
	r := rand.New(rand.NewPCG(15, 16))
	shared := 0
	for range 5 {
		if err := w.SetPoses(s.scatter(r, 1.5)); err != nil {
			t.Fatal(err)
		}
		if err := w.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		found := map[[2]int]bool{}
		for _, c := range w.Contacts() {
			found[[2]int{int(min(c.A, c.B)), int(max(c.A, c.B))}] = true
		}
		for _, p := range w.FacePairs() {
			found[[2]int{int(p.A), int(p.B)}] = true
		}
		for a := range w.Len() {
			for b := a + 1; b < w.Len(); b++ {
				if !w.Solid(a).Mesh().Closed() || !w.Solid(b).Mesh().Closed() || found[[2]int{a, b}] {
					continue
				}
				for range 300 {
					p := randomPose(r, 3).Translation
					if w.inside(a, p) && w.inside(b, p) {
						t.Fatalf("bodies %d and %d share %v, but have no contact", a, b, p)
					}
				}
			}
		}
		shared += len(found)
	}
	if shared < 20 {
		t.Errorf("%d pairs are in contact: the scenes say little", shared)
	}
}

// inside reports whether a point in world coordinates is in body i. It ignores the tolerance.
func (w *World) inside(i int, p r3.Vector) bool {
	d, _ := w.Solid(i).Distance(w.frames[i].TurnBack(p.Sub(w.frames[i].T)))
	return d < -1e-9
}
