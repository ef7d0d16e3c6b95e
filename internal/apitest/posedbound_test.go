package apitest

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/pose"
	"github.com/inpoly/inpoly/side"
)

// exactBox is a box at a pose, whose distances follow from exact coordinates in its frame, times |q|². It
// shares no code with the package.
type exactBox struct {
	norm      *big.Float // |q|²
	low, high [3]*big.Float
	t         [3]*big.Float
	r         [3][3]*big.Float // Rᵀ·|q|²
}

// exact are the operations of big.Float without rounding. They panic if 4,000 bits do not suffice.
type exact struct{}

func (exact) of(x float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(x) }

func (exact) check(x *big.Float) *big.Float {
	if x.Acc() != big.Exact {
		panic("4,000 bits do not suffice")
	}
	return x
}

func (e exact) add(x, y *big.Float) *big.Float { return e.check(e.of(0).Add(x, y)) }
func (e exact) sub(x, y *big.Float) *big.Float { return e.check(e.of(0).Sub(x, y)) }
func (e exact) mul(x, y *big.Float) *big.Float { return e.check(e.of(0).Mul(x, y)) }

func (e exact) vector(v r3.Vector) [3]*big.Float {
	return [3]*big.Float{e.of(v.X), e.of(v.Y), e.of(v.Z)}
}

// newExactBox computes with the formula R·x = q·x·q*, written out for a quaternion w, x, y, z.
func newExactBox(low, high r3.Vector, p pose.Pose) *exactBox {
	var e exact
	q := [4]*big.Float{e.of(p.Rotation.Real), e.of(p.Rotation.Imag), e.of(p.Rotation.Jmag), e.of(p.Rotation.Kmag)}
	b := &exactBox{norm: e.of(0), t: e.vector(p.Translation)}
	for _, c := range q {
		b.norm = e.add(b.norm, e.mul(c, c))
	}
	two := e.of(2)
	for i := range 3 {
		for j := range 3 {
			k := 3 - i - j
			switch { // the entry R_ji
			case i == j:
				others := e.add(e.mul(q[(i+1)%3+1], q[(i+1)%3+1]), e.mul(q[(i+2)%3+1], q[(i+2)%3+1]))
				b.r[i][j] = e.sub(b.norm, e.mul(two, others))
			case j == (i+1)%3:
				b.r[i][j] = e.mul(two, e.add(e.mul(q[i+1], q[j+1]), e.mul(q[0], q[k+1])))
			default:
				b.r[i][j] = e.mul(two, e.sub(e.mul(q[i+1], q[j+1]), e.mul(q[0], q[k+1])))
			}
		}
	}
	b.low, b.high = e.vector(low), e.vector(high)
	for k := range b.low {
		b.low[k], b.high[k] = e.mul(b.low[k], b.norm), e.mul(b.high[k], b.norm)
	}
	return b
}

// place returns the exact position of a point in the frame of the box, times |q|².
func (b *exactBox) place(p r3.Vector) (x [3]*big.Float) {
	var e exact
	d := e.vector(p)
	for k := range d {
		d[k] = e.sub(d[k], b.t[k])
	}
	for i := range x {
		x[i] = e.of(0)
		for j := range d {
			x[i] = e.add(x[i], e.mul(b.r[i][j], d[j]))
		}
	}
	return x
}

// outside returns the square of the distance of x from the solid box, and the distance from the surface
// if x is in the box, times |q|⁴ and |q|².
func (b *exactBox) outside(x [3]*big.Float) (square, depth *big.Float) {
	var e exact
	square = e.of(0)
	for k := range x {
		most, above := e.sub(b.low[k], x[k]), e.sub(x[k], b.high[k])
		if above.Cmp(most) > 0 {
			most = above
		}
		if most.Sign() > 0 {
			square = e.add(square, e.mul(most, most))
		} else if most.Neg(most); depth == nil || most.Cmp(depth) < 0 {
			depth = most
		}
	}
	return square, depth
}

// contains reports whether the interval [d−bound, d+bound] contains the exact distance of x from the
// surface.
func (b *exactBox) contains(x [3]*big.Float, d, bound float64) bool {
	var e exact
	square, depth := b.outside(x)
	if square.Sign() == 0 {
		square = e.mul(depth, depth)
	}
	low, high := e.mul(e.sub(e.of(d), e.of(bound)), b.norm), e.mul(e.add(e.of(d), e.of(bound)), b.norm)
	return (low.Sign() <= 0 || e.mul(low, low).Cmp(square) <= 0) && e.mul(high, high).Cmp(square) >= 0
}

// below reports whether the exact distance of x from the surface is less than d − bound.
func (b *exactBox) below(x [3]*big.Float, d, bound float64) bool {
	var e exact
	square, depth := b.outside(x)
	if square.Sign() == 0 {
		square = e.mul(depth, depth)
	}
	low := e.mul(e.sub(e.of(d), e.of(bound)), b.norm)
	return low.Sign() > 0 && e.mul(low, low).Cmp(square) > 0
}

// side returns the exact side of x.
func (b *exactBox) side(x [3]*big.Float) inpoly.Side {
	square, depth := b.outside(x)
	switch {
	case square.Sign() > 0:
		return inpoly.Outside
	case depth.Sign() == 0:
		return inpoly.OnSurface
	}
	return inpoly.Inside
}

// boundPoint returns a point near a posed cube from 0 to 1: near its surface up to some units of the last
// place, near its edges, near its middle planes, or anywhere around it.
func boundPoint(r *rand.Rand, p pose.Pose) r3.Vector {
	v := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
	switch r.IntN(5) {
	case 0:
		v.X = float64(r.IntN(2))
	case 1:
		v.Y, v.Z = float64(r.IntN(2)), float64(r.IntN(2))
	case 2:
		v.Z = 1 + math.Ldexp(r.Float64(), -r.IntN(60))
	default:
		v = v.Mul(4).Sub(r3.Vector{X: 2, Y: 2, Z: 2})
	}
	at := p.Apply(v)
	if r.IntN(2) == 0 {
		at.X = math.Nextafter(at.X, math.Inf(r.IntN(2)*2-1))
	}
	return at
}

// boundPoses returns poses that are far from the origin, and poses of some special rotations.
func boundPoses(r *rand.Rand) []pose.Pose {
	list := testPoses(r, 1)
	for _, far := range []float64{0, 1, 1e3, 1e6, 1e9} {
		q := quat.Number{Real: 0.9, Imag: 0.1, Jmag: 0.3, Kmag: math.Sqrt(1 - 0.81 - 0.01 - 0.09)}
		list = append(list, pose.Pose{Rotation: q, Translation: r3.Vector{X: far, Y: -far, Z: far / 3}})
		q = quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
		list = append(list, pose.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: far * r.Float64(), Y: far, Z: -far}})
	}
	return list
}

// TestPosedBounds checks with exact numbers that the bounds of posed distances contain the exact
// distances, alone and in an assembly. Sides and signs must be exact. INPOLY_FULL=1 takes 10⁵ points for
// each method.
func TestPosedBounds(t *testing.T) {
	n := 1_000
	if testcorpus.Full() {
		n = 100_000
	}
	for k, method := range allMethods {
		t.Run(method.String(), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(38, uint64(k)))
			s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{Method: method, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			poses := boundPoses(r)
			without, worst, on := 0, 0.0, 0
			for i, p := range poses {
				pts := make([]r3.Vector, (n+len(poses)-1-i)/len(poses))
				for j := range pts {
					pts[j] = boundPoint(r, p)
				}
				w, m, o := checkBounds(t, s, p, pts)
				without, worst, on = without+w, max(worst, m), on+o
			}
			t.Logf("%d points at %d poses, %d on the surface; %d errors exceed DistanceBound of the package, by up to %.0f times", n, len(poses), on, without, worst)
			if without < n/10 || on < n/200 {
				t.Error("the test says little")
			}
		})
	}
}

// checkBounds checks the distances of a posed cube. It returns the number of errors that exceed the bound
// of the rounding of the distance alone, the largest such ratio, and the number of points on the surface.
func checkBounds(t *testing.T, s *inpoly.Solid, p pose.Pose, pts []r3.Vector) (without int, worst float64, on int) {
	t.Helper()
	at, err := s.At(p)
	if err != nil {
		t.Fatal(err)
	}
	n := len(pts)
	box := newExactBox(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}, p)
	dst := inpoly.Answers{Distance: make([]float64, n), Face: make([]int32, n), DistanceBound: make([]float64, n), Nearest: make([]inpoly.Nearest, n)}
	dst.Sides = make([]side.Side, n)
	if _, err := at.LocateTo(t.Context(), dst, pts); err != nil {
		t.Fatal(err)
	}
	for i, x := range pts {
		where := fmt.Sprintf("pose %v, point %v", p, x)
		local := box.place(x)
		d, bound := dst.Distance[i], dst.DistanceBound[i]
		if one, _ := at.Distance(x); one != d || at.DistanceBound(x, d) != bound || at.Side(x) != dst.Sides[i] || dst.Nearest[i].Distance != d {
			t.Fatalf("%s: %v ± %g in a batch, %v ± %g alone", where, d, bound, one, at.DistanceBound(x, one))
		}
		if want := box.side(local); dst.Sides[i] != want || (d < 0) != (want == inpoly.Inside) || (d == 0) != (want == inpoly.OnSurface) {
			t.Fatalf("%s: side %v and distance %v, want %v", where, dst.Sides[i], d, want)
		}
		if d == 0 {
			on++
		}
		d = math.Abs(d)
		if !box.contains(local, d, bound) {
			t.Fatalf("%s: distance %v, bound %g, is not a bound", where, d, bound)
		}
		if !box.contains(local, d, inpoly.DistanceBound(d)) {
			without++
			for f := 2.0; f < 1e12; f *= 2 {
				if box.contains(local, d, f*inpoly.DistanceBound(d)) {
					worst = max(worst, f)
					break
				}
			}
		}
	}
	return without, worst, on
}

// TestPosedAssemblyBounds checks the bounds of distances from several boxes whose positions have errors of
// different sizes.
func TestPosedAssemblyBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 9))
	cube := testmesh.UnitCube()
	var parts []assembly.Part
	for range 20 {
		parts = append(parts, assembly.Part{Mesh: testmesh.Mesh(cube)})
	}
	a, err := assembly.New(t.Context(), parts, assembly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rounds, n := 10, 60
	if testcorpus.Full() {
		rounds, n = 40, 250
	}
	smaller := 0
	for range rounds {
		poses, boxes := make([]pose.Pose, len(parts)), make([]*exactBox, len(parts))
		for i := range poses {
			q := quat.Number{Real: r.NormFloat64(), Imag: r.NormFloat64(), Jmag: r.NormFloat64(), Kmag: r.NormFloat64()}
			far := math.Pow10(r.IntN(6))
			poses[i] = pose.Pose{Rotation: quat.Scale(1/quat.Abs(q), q), Translation: r3.Vector{X: far * r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}}
			boxes[i] = newExactBox(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: 1}, poses[i])
		}
		at, err := a.At(poses)
		if err != nil {
			t.Fatal(err)
		}
		pts := make([]r3.Vector, n)
		for i := range pts {
			pts[i] = boundPoint(r, poses[r.IntN(len(poses))])
		}
		dst := inpoly.Answers{NearestBody: make([]int32, n)}
		dst.Distance, dst.Face, dst.DistanceBound = make([]float64, n), make([]int32, n), make([]float64, n)
		if _, err := at.LocateTo(t.Context(), assembly.Query{}, dst, pts); err != nil {
			t.Fatal(err)
		}
		for i, x := range pts {
			bound := dst.DistanceBound[i]
			d, _, _ := at.Distance(x)
			all := at.DistanceBound(x, d)
			if d != dst.Distance[i] || !(bound <= all) {
				t.Fatalf("%v: %v ± %g in a batch, %v ± %g alone", x, dst.Distance[i], bound, d, all)
			}
			if bound < all {
				smaller++
			}
			// The least distance is in the interval if one is not above it and none is below it.
			near, below := false, false
			for _, b := range boxes {
				local := b.place(x)
				abs := math.Abs(d)
				near = near || b.contains(local, abs, bound)
				below = below || b.below(local, abs, bound)
			}
			if !near || below {
				t.Fatalf("%v: distance %v ± %g", x, d, bound)
			}
		}
	}
	if smaller == 0 {
		t.Error("no bound of a batch is smaller than the bound of all solids")
	}
}

// TestPosedAt compares Posed.At with exact compositions: quarter turns and shifts are exact, and other
// poses are the nearest to the exact composition.
func TestPosedAt(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 10))
	s, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.UnitCube()), inpoly.Options{})
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for range 60 {
		for _, a := range boundPoses(r) {
			list := boundPoses(r)
			b := list[r.IntN(len(list))]
			first, err := s.At(a)
			if err != nil {
				t.Fatal(err)
			}
			both, err := first.At(b)
			if err != nil {
				t.Fatal(err)
			}
			got := both.Pose()
			if got != b.Mul(a) || both.Solid() != s {
				t.Fatalf("%v at %v has the pose %v", a, b, got)
			}
			if checkComposed(t, a, b, got) {
				exact++
			}
		}
	}
	if exact < 100 {
		t.Errorf("%d exact compositions: the test says little", exact)
	}
	for _, p := range []pose.Pose{{}, pose.At(r3.Vector{X: math.NaN()})} {
		at, err := s.At(pose.At(r3.Vector{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := at.At(p); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
	far, err := s.At(pose.At(r3.Vector{X: mesh.MaxCoordinate}))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []float64{mesh.MaxCoordinate, math.MaxFloat64} {
		if _, err = far.At(pose.At(r3.Vector{X: x})); !errors.Is(err, pose.ErrInvalid) {
			t.Errorf("a sum of translations that is too large: error %v", err)
		}
	}
	if back, err := far.At(pose.At(r3.Vector{X: -mesh.MaxCoordinate})); err != nil || back.Pose() != pose.At(r3.Vector{}) {
		t.Errorf("there and back: pose %v, error %v", back.Pose(), err)
	}
}

// checkComposed checks that got is a followed by b, rounded once. It reports whether the composition is
// exact.
func checkComposed(t *testing.T, a, b, got pose.Pose) (exact bool) {
	t.Helper()
	product := ratProduct(ratQuat(b.Rotation), ratQuat(a.Rotation))
	q := [4]float64{got.Rotation.Real, got.Rotation.Imag, got.Rotation.Jmag, got.Rotation.Kmag}
	norm := new(big.Rat)
	same := true
	for k, c := range product {
		norm.Add(norm, new(big.Rat).Mul(c, c))
		same = same && c.Cmp(rat(q[k])) == 0
	}
	for k, c := range product {
		if same {
			break
		}
		// x = c/√norm is nearest to q[k] if it is between the middles of q[k] and its neighbors.
		near := func(x *big.Rat) bool {
			below, above := rat(math.Nextafter(q[k], math.Inf(-1))), rat(math.Nextafter(q[k], math.Inf(1)))
			below.Add(below, rat(q[k])).Quo(below, big.NewRat(2, 1))
			above.Add(above, rat(q[k])).Quo(above, big.NewRat(2, 1))
			return !less(x, norm, below) && !less(new(big.Rat).Neg(x), norm, above.Neg(above))
		}
		if !near(c) {
			t.Fatalf("%v at %v: component %d of %v is not rounded to nearest", a, b, k, got)
		}
	}
	box := newExactBox(r3.Vector{}, r3.Vector{}, pose.Pose{Rotation: quat.Conj(b.Rotation)})
	length, _ := box.norm.Rat(nil)
	shift := true
	for k, turned := range box.place(a.Translation) { // R·t
		x, _ := turned.Rat(nil)
		x.Quo(x, length).Add(x, rat([3]float64{b.Translation.X, b.Translation.Y, b.Translation.Z}[k]))
		c := [3]float64{got.Translation.X, got.Translation.Y, got.Translation.Z}[k]
		if want, _ := x.Float64(); want != c {
			t.Fatalf("%v at %v: translation %v, want %v in coordinate %d", a, b, got.Translation, want, k)
		}
		shift = shift && x.Cmp(rat(c)) == 0
	}
	return same && shift
}

// less reports whether x/√n < y, for rational numbers.
func less(x, n, y *big.Rat) bool {
	if x.Sign() != y.Sign() {
		return x.Sign() < y.Sign()
	}
	left, right := new(big.Rat).Mul(x, x), new(big.Rat).Mul(y, y)
	right.Mul(right, n)
	if x.Sign() >= 0 {
		return left.Cmp(right) < 0
	}
	return left.Cmp(right) > 0
}

// TestPosedExactlyMoved compares solids at quarter turns and whole shifts with solids whose vertices are
// moved, bit for bit: sides, winding numbers of the closed mesh, distances, bounds, faces and features, and
// closest points that are vertices.
func TestPosedExactlyMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 12))
	n := 300
	if testcorpus.Full() {
		n = 20_000
	}
	grid := func(v r3.Vector) r3.Vector {
		return r3.Vector{X: math.Round(v.X*0x1p20) / 0x1p20, Y: math.Round(v.Y*0x1p20) / 0x1p20, Z: math.Round(v.Z*0x1p20) / 0x1p20}
	}
	half := math.Sqrt(0.5)
	vertices := 0
	for k, soup := range []mesh.Soup{testmesh.Move(testmesh.Torus(2, 0.5, 24, 12), grid), testmesh.Move(testmesh.Hemisphere(2), grid)} {
		for i, q := range [][4]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {half, 0, 0, half}, {half, -half, 0, 0}, {0.5, 0.5, -0.5, 0.5}} {
			p := pose.Pose{Rotation: quat.Number{Real: q[0], Imag: q[1], Jmag: q[2], Kmag: q[3]}, Translation: r3.Vector{X: 7, Y: -900, Z: 1024}}
			move := func(v r3.Vector) r3.Vector { return grid(p.Apply(v)) }
			opt := inpoly.Options{Method: inpoly.Methods()[(i+k)%len(inpoly.Methods())], Orient: inpoly.OrientNever}
			s, err := inpoly.New(t.Context(), testmesh.Mesh(soup), opt)
			if err != nil {
				t.Fatal(err)
			}
			moved, err := inpoly.New(t.Context(), testmesh.Mesh(testmesh.Move(soup, move)), opt)
			if err != nil {
				t.Fatal(err)
			}
			at, err := s.At(p)
			if err != nil {
				t.Fatal(err)
			}
			pts := make([]r3.Vector, n)
			for j := range pts {
				pts[j] = move(r3.Vector{X: 6 * (r.Float64() - 0.5), Y: 6 * (r.Float64() - 0.5), Z: 3 * (r.Float64() - 0.5)})
				if j%4 == 0 {
					pts[j] = move(soup.Vertices[r.IntN(len(soup.Vertices))])
				}
			}
			got, want := posedAnswers(n), posedAnswers(n)
			if _, err := at.LocateTo(t.Context(), got, pts); err != nil {
				t.Fatal(err)
			}
			if _, err := moved.LocateTo(t.Context(), want, pts); err != nil {
				t.Fatal(err)
			}
			for j, x := range pts {
				a, b := &got.Nearest[j], &want.Nearest[j]
				if got.Sides[j] != want.Sides[j] || got.Distance[j] != want.Distance[j] || got.DistanceBound[j] != want.DistanceBound[j] ||
					got.Face[j] != want.Face[j] || a.Face != b.Face || a.Distance != b.Distance || a.Feature != b.Feature {
					t.Fatalf("%v: %v: side %v, %+v, want %v, %+v", p, x, got.Sides[j], *a, want.Sides[j], *b)
				}
				if d := a.Point.Sub(b.Point).Norm(); d > a.PointBound+b.PointBound || b.Feature == inpoly.FeatureVertex && (d != 0 || a.PointBound != b.PointBound) {
					t.Fatalf("%v: %v: closest point %v ± %g, want %v ± %g", p, x, a.Point, a.PointBound, b.Point, b.PointBound)
				}
				if b.Feature == inpoly.FeatureVertex {
					vertices++
				}
				w, v := got.Winding[j], want.Winding[j]
				if k == 0 && got.Sides[j] != inpoly.OnSurface && (w != v || got.Bound[j] != want.Bound[j]) || !(math.Abs(w-v) <= got.Bound[j]+want.Bound[j]) {
					t.Fatalf("%v: %v: W = %v ± %g, want %v ± %g", p, x, w, got.Bound[j], v, want.Bound[j])
				}
			}
		}
	}
	if vertices < n {
		t.Errorf("%d closest points are vertices", vertices)
	}
}

// posedAnswers returns all answers for n points.
func posedAnswers(n int) (dst inpoly.Answers) {
	dst.Sides, dst.Winding, dst.Bound = make([]side.Side, n), make([]float64, n), make([]float64, n)
	dst.Distance, dst.DistanceBound, dst.Face, dst.Nearest = make([]float64, n), make([]float64, n), make([]int32, n), make([]inpoly.Nearest, n)
	return dst
}
