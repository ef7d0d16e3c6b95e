package assembly_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
)

// exactPose returns a pose whose matrix exchanges axes and changes signs, and its effect on points. The
// quaternion has components of equal magnitude or 0.
func exactPose(r *rand.Rand, t r3.Vector) (pose.Pose, func(r3.Vector) r3.Vector) {
	for {
		var c [4]float64
		n := 0.0
		for i := range c {
			c[i] = float64(r.IntN(3) - 1)
			n += c[i] * c[i]
		}
		if n == 0 || n == 3 {
			continue
		}
		w, x, y, z := c[0], c[1], c[2], c[3]
		turn := func(v r3.Vector) r3.Vector {
			return r3.Vector{
				X: ((w*w+x*x-y*y-z*z)*v.X + 2*(x*y-w*z)*v.Y + 2*(x*z+w*y)*v.Z) / n,
				Y: (2*(x*y+w*z)*v.X + (w*w-x*x+y*y-z*z)*v.Y + 2*(y*z-w*x)*v.Z) / n,
				Z: (2*(x*z-w*y)*v.X + 2*(y*z+w*x)*v.Y + (w*w-x*x-y*y+z*z)*v.Z) / n,
			}
		}
		s := 1 / math.Sqrt(n)
		p := pose.Pose{Rotation: quat.Number{Real: w * s, Imag: x * s, Jmag: y * s, Kmag: z * s}, Translation: t}
		return p, func(v r3.Vector) r3.Vector { return turn(v).Add(t) }
	}
}

// An assembly with poses that move all vertices exactly has the answers of an assembly of the moved
// meshes.
func TestPosesEqualMovedMeshes(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 3))
	for name, soups := range scenes() {
		for k, opt := range []inpoly.Options{{}, {Rule: inpoly.EvenOdd, Method: inpoly.Cells}, {Tolerance: 0.0625}, {Method: inpoly.FMM, Epsilon: 1e-9}} {
			if !testcorpus.Full() && (k+len(name))%4 != 0 {
				continue
			}
			base := newAssembly(t, opt, partsOf(soups...))
			poses, moved := make([]pose.Pose, len(soups)), make([]mesh.Soup, len(soups))
			for i, s := range soups {
				shift := r3.Vector{X: float64(r.IntN(9)-4) / 2, Y: float64(r.IntN(9)-4) / 2, Z: float64(r.IntN(9)-4) / 2}
				for _, v := range s.Vertices {
					for _, c := range []float64{v.X, v.Y, v.Z} {
						if c != math.Round(16*c)/16 || math.Abs(c) > 1e9 {
							shift = r3.Vector{}
						}
					}
				}
				var move func(r3.Vector) r3.Vector
				poses[i], move = exactPose(r, shift)
				moved[i] = testmesh.Move(s, move)
			}
			a, err := base.At(poses)
			if err != nil {
				t.Fatal(err)
			}
			if k%2 == 1 { // the same poses in two steps, which are both exact
				first, second := make([]pose.Pose, len(poses)), make([]pose.Pose, len(poses))
				for i, p := range poses {
					turn, _ := exactPose(r, r3.Vector{})
					first[i], second[i] = turn, p.Mul(turn.Inverse())
				}
				if a, err = base.At(first); err != nil {
					t.Fatal(err)
				}
				if a, err = a.At(second); err != nil {
					t.Fatal(err)
				}
			}
			pts := scenePoints(moved, 4)
			checkAssembly(t, a, newTruth(t, opt, moved, pts), volumes(moved))
			checkSameWindings(t, a, newAssembly(t, opt, partsOf(moved...)), pts)
		}
	}
}

// checkSameWindings compares winding numbers and distances.
func checkSameWindings(t *testing.T, a, want *assembly.Assembly, pts []r3.Vector) {
	t.Helper()
	n := len(pts)
	batch := func(a *assembly.Assembly) inpoly.Answers {
		dst := inpoly.Answers{NearestBody: make([]int32, n)}
		dst.Winding, dst.Bound = make([]float64, n), make([]float64, n)
		dst.Distance, dst.Face, dst.Nearest = make([]float64, n), make([]int32, n), make([]inpoly.Nearest, n)
		if _, err := a.LocateTo(t.Context(), assembly.Query{}, dst, pts); err != nil {
			t.Fatal(err)
		}
		return dst
	}
	got, other := batch(a), batch(want)
	for i, p := range pts {
		w, bound := a.Winding(p)
		if !(math.Abs(w-got.Winding[i]) <= bound+got.Bound[i]) && !math.IsNaN(w) {
			t.Fatalf("%v: W %v ± %v in a batch, %v ± %v alone", p, got.Winding[i], got.Bound[i], w, bound)
		}
		if !(math.Abs(w-other.Winding[i]) <= (bound+other.Bound[i])*(1+1e-9)) && !(math.IsNaN(w) && math.IsNaN(other.Winding[i])) {
			t.Fatalf("%v: W %v ± %v, want %v ± %v", p, w, bound, other.Winding[i], other.Bound[i])
		}
		d, body, face := a.Distance(p)
		if !sameBits(d, got.Distance[i]) || body != got.NearestBody[i] || face != got.Face[i] {
			t.Fatalf("%v: distance %v of body %d in a batch, %v of %d alone", p, got.Distance[i], got.NearestBody[i], d, body)
		}
		if near := &got.Nearest[i]; !sameBits(near.Distance, d) || near.Face != face {
			t.Fatalf("%v: the closest point has the distance %v to face %d, want %v to %d", p, near.Distance, near.Face, d, face)
		} else if body >= 0 {
			one := make([]inpoly.Nearest, 1)
			if err := a.Posed(int(body)).NearestTo(t.Context(), one, []r3.Vector{p}); err != nil {
				t.Fatal(err)
			}
			if one[0].Point != near.Point || one[0].PointBound != near.PointBound || one[0].Normal != near.Normal {
				t.Fatalf("%v: closest point %v ± %g, of the solid alone %v ± %g", p, near.Point, near.PointBound, one[0].Point, one[0].PointBound)
			}
		}
		if limit := a.PositionBound(p) + inpoly.DistanceBound(d) + inpoly.DistanceBound(other.Distance[i]); !(math.Abs(d-other.Distance[i]) <= limit) && d != other.Distance[i] && !math.IsNaN(d) {
			t.Fatalf("%v: distance %v, want %v", p, d, other.Distance[i])
		}
		if math.IsNaN(d) != math.IsNaN(other.Distance[i]) || (d == 0) != (other.Distance[i] == 0) {
			t.Fatalf("%v: distance %v, want %v", p, d, other.Distance[i])
		}
	}
}

// With any poses, the answers follow from the answers of the posed solids.
func TestPosesEqualPosedSolids(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 4))
	soups := []mesh.Soup{box(0, 0, 0, 1), box(-1, -1, -1, 2), testmesh.Star(2, 0.5, 1), testmesh.Torus(1, 0.4, 12, 8), testmesh.Hemisphere(2), {}}
	for range 12 {
		soups = append(soups, box(-0.5, -0.5, -0.5, 1))
	}
	base := newAssembly(t, inpoly.Options{}, partsOf(soups...))
	for range 6 {
		poses := make([]pose.Pose, len(soups))
		for i := range poses {
			q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
			poses[i] = pose.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: 2 * r.NormFloat64(), Y: 2 * r.NormFloat64(), Z: 2 * r.NormFloat64()}}
		}
		a, err := base.At(poses)
		if err != nil {
			t.Fatal(err)
		}
		var pts []r3.Vector
		for i, s := range soups {
			for range min(8, len(s.Vertices)) {
				pts = append(pts, poses[i].Apply(s.Vertices[r.IntN(len(s.Vertices))]))
			}
			pts = append(pts, r3.Vector{X: 3 * r.NormFloat64(), Y: 3 * r.NormFloat64(), Z: 3 * r.NormFloat64()})
		}
		var sets inpoly.Sets
		if err := bodySetsTo(a, t.Context(), &sets, pts); err != nil {
			t.Fatal(err)
		}
		for k, p := range pts {
			var want []int32
			least, sum, bound := math.Inf(1), 0.0, 0.0
			for i := range soups {
				if a.Posed(i).Contains(p) {
					want = append(want, int32(i))
				}
				if d, face := a.Posed(i).Distance(p); face >= 0 {
					least = min(least, math.Abs(d))
				}
				w, b := a.Posed(i).Winding(p)
				sum, bound = sum+w, bound+b
			}
			if got, _ := sets.At(k); !slices.Equal(got, want) {
				t.Fatalf("%v: bodies %v, want %v", p, got, want)
			}
			if d, _, _ := a.Distance(p); math.Abs(d) != least {
				t.Fatalf("%v: distance %v, want %v", p, d, least)
			}
			if w, b := a.Winding(p); math.Abs(w-sum) > bound+b+1e-12 {
				t.Fatalf("%v: W %v ± %v, want %v ± %v", p, w, b, sum, bound)
			}
		}
	}
}

func TestPosesErrors(t *testing.T) {
	a := newAssembly(t, inpoly.Options{}, partsOf(box(0, 0, 0, 1), box(2, 0, 0, 1)))
	if _, err := a.At([]pose.Pose{pose.At(r3.Vector{}), {}}); !errors.Is(err, pose.ErrInvalid) || !strings.HasPrefix(err.Error(), "solid 1: ") {
		t.Errorf("error %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("one pose for two solids: no panic")
		}
	}()
	_, _ = a.At([]pose.Pose{{}})
}
