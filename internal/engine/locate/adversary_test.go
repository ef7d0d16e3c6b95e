package locate_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// class is the kind of a point.
type class int

const (
	atVertex class = iota
	onEdge
	onFace
	byUlps
	aligned
	inHole
	threshold
	anywhere
	classes
)

var classNames = [classes]string{"vertex", "edge", "face", "sub-ulp", "aligned", "hole", "threshold", "anywhere"}

// hex returns the exact coordinates of p.
func hex(p r3.Vector) string { return fmt.Sprintf("(%x, %x, %x)", p.X, p.Y, p.Z) }

type probe struct {
	p r3.Vector
	c class
}

// adversary makes meshes of at most 200 triangles, and points whose answers are hard to compute.
type adversary struct{ *rand.Rand }

// soup returns a random mesh with its description.
func (r adversary) soup() (string, mesh.Soup) {
	name, s := r.solid()
	if r.IntN(2) == 0 {
		name += r.damage(&s)
	}
	name += r.place(&s)
	return name, s
}

// solid returns a mesh whose vertices are integers, or a mesh with other vertices that is closed or
// has a planar hole.
func (r adversary) solid() (string, mesh.Soup) {
	cell := func(n int) r3.Vector {
		return r3.Vector{X: float64(r.IntN(n)), Y: float64(r.IntN(n)), Z: float64(r.IntN(n))}
	}
	snapped := func(s mesh.Soup, scale float64) mesh.Soup {
		return testmesh.Move(s, func(p r3.Vector) r3.Vector {
			return r3.Vector{X: math.Round(p.X * scale), Y: math.Round(p.Y * scale), Z: math.Round(p.Z * scale)}
		})
	}
	switch kind := r.IntN(13); kind {
	case 0:
		return "star", testmesh.Star(1+r.IntN(2), 0.7, r.Uint64())
	case 1:
		return "integer star", snapped(testmesh.Star(1+r.IntN(2), 0.7, r.Uint64()), []float64{3, 10, 1000, 50000}[r.IntN(4)])
	case 2:
		var parts []mesh.Soup
		size := 2 + r.IntN(6)
		for range 1 + r.IntN(20) {
			parts = append(parts, testmesh.Simplex(cell(size), cell(size), cell(size), cell(size)))
		}
		return "tetrahedra", testmesh.Union(parts...)
	case 3:
		return "voxels", r.voxels()
	case 4:
		s := testmesh.Tangle(3+r.IntN(10), 1+r.IntN(60), r.Uint64())
		return "tangle", s
	case 5:
		return "integer tangle", snapped(testmesh.Tangle(3+r.IntN(10), 1+r.IntN(40), r.Uint64()), 4)
	case 6:
		var parts []mesh.Soup
		for range 1 + r.IntN(8) {
			a, b := cell(6), cell(6)
			parts = append(parts, testmesh.Cube(a, b.Add(r3.Vector{X: 1, Y: 1, Z: 1})))
		}
		return "boxes", testmesh.Union(parts...)
	case 7:
		return "box with holes", r.box()
	case 8:
		n := 3 + r.IntN(6)
		return "torus", testmesh.Torus(2, 0.5+2*r.Float64(), n, 3+r.IntN(min(6, 100/n)))
	case 9:
		return "double cone", testmesh.DoubleCone(3+r.IntN(90), math.Exp2(float64(r.IntN(40)-30)))
	case 10:
		if r.IntN(2) == 0 {
			return "Möbius strip", testmesh.Moebius(3 + r.IntN(40))
		}
		return "hemisphere", testmesh.Hemisphere(1 + r.IntN(2))
	case 11:
		s := testmesh.Star(1, 0.7, r.Uint64())
		f := [3]float64{1, math.Exp2(-float64(r.IntN(50))), math.Exp2(-float64(r.IntN(50)))}
		return "flat star", testmesh.Move(s, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X * f[0], Y: p.Y * f[1], Z: p.Z * f[2]} })
	default:
		cases := testmesh.Catalog()
		for {
			if c := cases[r.IntN(len(cases))]; len(c.Soup.Faces) <= 200 && len(c.Soup.Faces) > 0 {
				return c.Name, c.Soup
			}
		}
	}
}

// voxels returns the surface of a random set of unit cubes. Edges can have four faces.
func (r adversary) voxels() mesh.Soup {
	filled, density := map[[3]int]bool{}, 0.2+0.7*r.Float64()
	place := func(i int) [3]int { return [3]int{i % 3, i / 3 % 3, i / 9} }
	for i := range 18 {
		filled[place(i)] = r.Float64() < density
	}
	var out mesh.Soup
	for i := range 18 {
		c := place(i)
		if !filled[c] {
			continue
		}
		lo := r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
		cube := testmesh.Cube(lo, lo.Add(r3.Vector{X: 1, Y: 1, Z: 1}))
		for side := range 6 {
			next := c
			next[side/2] += 2*(side%2) - 1
			if !filled[next] {
				base := int32(len(out.Vertices))
				out.Vertices = append(out.Vertices, cube.Vertices...)
				for _, f := range cube.Faces[2*side : 2*side+2] {
					out.Faces = append(out.Faces, [3]int32{f[0] + base, f[1] + base, f[2] + base})
				}
			}
		}
	}
	if len(out.Faces) == 0 {
		return testmesh.UnitCube()
	}
	return out
}

// box returns a cube whose sides are divided into squares. Some triangles of one or two sides are
// missing, so W is 1/2 in these parts of the planes of the sides if only one side has a hole.
func (r adversary) box() mesh.Soup {
	n := 1 + r.IntN(4)
	sheet := testmesh.Scale(testmesh.Sheet(n), float64(n))
	h := float64(n)
	sides := []mesh.Soup{
		testmesh.Flip(sheet),
		testmesh.Translate(sheet, r3.Vector{Z: h}),
		testmesh.Move(sheet, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X, Z: p.Y} }),
		testmesh.Flip(testmesh.Move(sheet, func(p r3.Vector) r3.Vector { return r3.Vector{X: p.X, Y: h, Z: p.Y} })),
		testmesh.Flip(testmesh.Move(sheet, func(p r3.Vector) r3.Vector { return r3.Vector{Y: p.X, Z: p.Y} })),
		testmesh.Move(sheet, func(p r3.Vector) r3.Vector { return r3.Vector{X: h, Y: p.X, Z: p.Y} }),
	}
	for range 1 + r.IntN(2) {
		k := r.IntN(6)
		var drop []int
		for f := range sides[k].Faces {
			if r.IntN(3) == 0 {
				drop = append(drop, f)
			}
		}
		sides[k] = testmesh.Without(sides[k], drop...)
	}
	return testmesh.Union(sides...)
}

// damage changes some faces of s.
func (r adversary) damage(s *mesh.Soup) string {
	some := func() []int { // at least one face
		var out []int
		for range 1 + r.IntN(4) {
			out = append(out, r.IntN(len(s.Faces)))
		}
		return out
	}
	switch r.IntN(7) {
	case 0, 1:
		if len(s.Faces) > 8 {
			*s = testmesh.Without(*s, some()...)
			return ", faces missing"
		}
	case 2:
		*s = testmesh.Flip(*s, some()...)
		return ", faces flipped"
	case 3:
		*s = testmesh.Flip(*s)
		return ", inverted"
	case 4:
		*s = testmesh.Double(*s, some()...)
		return ", faces doubled"
	case 5:
		if len(s.Faces) < 100 {
			*s = testmesh.WithDegenerate(*s, 1+r.IntN(8), r.Uint64())
			return ", degenerate faces"
		}
	case 6:
		if len(s.Faces) < 100 {
			*s = testmesh.Double(*s)
			return ", all faces doubled"
		}
	}
	return ""
}

// place moves s. Half of the soups stay where they are.
func (r adversary) place(s *mesh.Soup) string {
	switch r.IntN(10) {
	case 0, 1: // a rotation, rounded
		sin, cos := math.Sincos(2 * math.Pi * r.Float64())
		*s = testmesh.Move(*s, func(p r3.Vector) r3.Vector {
			p = r3.Vector{X: cos*p.X - sin*p.Y, Y: sin*p.X + cos*p.Y, Z: p.Z}
			return r3.Vector{X: p.X, Y: cos*p.Y - sin*p.Z, Z: sin*p.Y + cos*p.Z}
		})
		return ", rotated"
	case 2:
		turn := testmesh.Rotations()[r.IntN(24)]
		*s = testmesh.Move(*s, turn)
		return ", turned"
	case 3:
		*s = testmesh.Scale(*s, math.Ldexp(1, r.IntN(401)-200))
		return ", scaled"
	case 4:
		d := r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}.Mul(math.Pow(10, float64(r.IntN(9))))
		*s = testmesh.Translate(*s, d)
		return ", moved"
	}
	return ""
}

// probes returns n points for the soup s.
func (r adversary) probes(s mesh.Soup, n int, t *truth) []probe {
	corner := func() r3.Vector {
		f := s.Faces[r.IntN(len(s.Faces))]
		return s.Vertices[f[r.IntN(3)]]
	}
	part := func() float64 { // a dyadic or a random fraction
		if r.IntN(2) == 0 {
			return float64(1+r.IntN(7)) / 8
		}
		return r.Float64()
	}
	mix := func(a, b r3.Vector, s float64) r3.Vector { return a.Add(b.Sub(a).Mul(s)) }
	lo, hi := corner(), corner()
	for _, f := range s.Faces {
		for _, k := range f {
			v := s.Vertices[k]
			lo = r3.Vector{X: min(lo.X, v.X), Y: min(lo.Y, v.Y), Z: min(lo.Z, v.Z)}
			hi = r3.Vector{X: max(hi.X, v.X), Y: max(hi.Y, v.Y), Z: max(hi.Z, v.Z)}
		}
	}
	size := hi.Sub(lo)
	on := func() (r3.Vector, class) {
		f := s.Faces[r.IntN(len(s.Faces))]
		k := r.IntN(3)
		a, b, c := s.Vertices[f[k]], s.Vertices[f[(k+1)%3]], s.Vertices[f[(k+2)%3]]
		switch r.IntN(3) {
		case 0:
			return a, atVertex
		case 1:
			return mix(a, b, part()), onEdge
		}
		return mix(mix(a, b, part()), c, part()), onFace
	}
	out := make([]probe, 0, n)
	for len(out) < n {
		var p r3.Vector
		var c class
		switch r.IntN(16) {
		case 0, 1, 2, 3:
			p, c = on()
		case 4, 5, 6, 7, 8:
			p, _ = on()
			c = byUlps
			p = r.nudged(p)
		case 9: // on the line of an edge or in the plane of a face
			f := s.Faces[r.IntN(len(s.Faces))]
			a, b := s.Vertices[f[0]], s.Vertices[f[1]]
			c = aligned
			p = mix(a, b, float64(r.IntN(13)-4)/4)
			if r.IntN(2) == 0 {
				p = p.Add(s.Vertices[f[2]].Sub(a).Mul(float64(r.IntN(13)-4) / 4))
			}
		case 10, 11: // coordinates of three vertices
			c = aligned
			p = r3.Vector{X: corner().X, Y: corner().Y, Z: corner().Z}
		case 12: // bisectors
			c = aligned
			p = mix(corner(), corner(), 0.5)
			if r.IntN(2) == 0 {
				p = mix(p, corner(), 0.5)
			}
		case 13:
			c = aligned
			p = r3.Vector{X: math.Round(lo.X + size.X*(1.2*r.Float64()-.1)), Y: math.Round(lo.Y + size.Y*(1.2*r.Float64()-.1)), Z: math.Round(lo.Z + size.Z*(1.2*r.Float64()-.1))}
			if r.IntN(2) == 0 {
				p.X += 0.5
			}
		default:
			c = anywhere
			p = r3.Vector{X: lo.X + size.X*(1.2*r.Float64()-.1), Y: lo.Y + size.Y*(1.2*r.Float64()-.1), Z: lo.Z + size.Z*(1.2*r.Float64()-.1)}
			if r.IntN(4) == 0 { // close to the surface
				at, _ := on()
				p = mix(at, p, math.Pow(10, -18*r.Float64()))
			}
		}
		out = append(out, probe{p, c})
	}
	if !t.closed {
		out = append(out, r.openProbes(s, n/64, t, lo, size)...)
	}
	return out
}

// grid returns a grid of about n points. One of its points is a vertex, and its spacing is a
// fraction of the distance between two vertices on each axis.
func (r adversary) grid(s mesh.Soup, n int) side.Grid {
	f, g := s.Faces[r.IntN(len(s.Faces))], s.Faces[r.IntN(len(s.Faces))]
	a, b := s.Vertices[f[r.IntN(3)]], s.Vertices[g[r.IntN(3)]]
	count := max(2, int(math.Cbrt(float64(n))))
	step := func(a, b float64) (origin, spacing float64) {
		spacing = math.Abs(b-a) / float64(int(1)<<r.IntN(3))
		if spacing == 0 {
			spacing = max(1, math.Abs(a)) / 4
		}
		return a - spacing*float64(r.IntN(count)), spacing
	}
	var out side.Grid
	out.Origin.X, out.Spacing.X = step(a.X, b.X)
	out.Origin.Y, out.Spacing.Y = step(a.Y, b.Y)
	out.Origin.Z, out.Spacing.Z = step(a.Z, b.Z)
	out.Counts = [3]int{count, count, count}
	return out
}

// nudged returns p with some coordinates moved by a few units in the last place. A coordinate 0
// moves by 5e-324 to 1e-300.
func (r adversary) nudged(p r3.Vector) r3.Vector {
	c := [3]float64{p.X, p.Y, p.Z}
	for k := range c {
		steps := r.IntN(7) - 3
		if c[k] == 0 && r.IntN(2) == 0 {
			c[k] = float64(steps) * 3e-301
			continue
		}
		for range max(steps, -steps) {
			c[k] = math.Nextafter(c[k], math.Inf(steps))
		}
	}
	return r3.Vector{X: c[0], Y: c[1], Z: c[2]}
}

// openProbes returns n points in planar parts of holes, and n points whose winding number is within
// rounding of a threshold.
func (r adversary) openProbes(s mesh.Soup, n int, t *truth, lo, size r3.Vector) []probe {
	uses := map[[2]r3.Vector]int{}
	for _, f := range s.Faces {
		for k := range 3 {
			a, b := s.Vertices[f[k]], s.Vertices[f[(k+1)%3]]
			uses[[2]r3.Vector{a, b}]++
			uses[[2]r3.Vector{b, a}]--
		}
	}
	var ends []r3.Vector
	for _, f := range s.Faces { // not the order of the map, which is random
		for k := range 3 {
			a, b := s.Vertices[f[k]], s.Vertices[f[(k+1)%3]]
			if uses[[2]r3.Vector{a, b}] != 0 {
				ends = append(ends, a, b)
			}
		}
	}
	var out []probe
	for range n {
		if len(ends) == 0 {
			break
		}
		a, b, c := ends[r.IntN(len(ends))], ends[r.IntN(len(ends))], ends[r.IntN(len(ends))]
		p := a.Add(b.Sub(a).Mul(r.Float64()))
		p = p.Add(c.Sub(p).Mul(float64(r.IntN(9)) / 8))
		if r.IntN(3) == 0 {
			p = r.nudged(p)
		}
		out = append(out, probe{p, inHole})
	}
	inBox := func() r3.Vector {
		return r3.Vector{X: lo.X + size.X*(1.2*r.Float64()-.1), Y: lo.Y + size.Y*(1.2*r.Float64()-.1), Z: lo.Z + size.Z*(1.2*r.Float64()-.1)}
	}
	for range n {
		a, b := inBox(), inBox()
		at := []float64{0.5, -0.5, 0.5, 1.5}[r.IntN(4)]
		above := func(p r3.Vector) bool { w, _, _ := t.estimate(p); return w > at }
		up := above(a)
		if above(b) == up {
			continue
		}
		for range 100 {
			m := a.Add(b).Mul(0.5)
			if m == a || m == b {
				break
			}
			if above(m) == up {
				a = m
			} else {
				b = m
			}
		}
		out = append(out, probe{a, threshold}, probe{r.nudged(b), threshold})
	}
	return out
}

// tally counts answers.
type tally struct {
	// These maps count sides by method. The hidden sides are uncertain although W is not close to a
	// threshold.
	sides, wrong, uncertain, hidden map[string]*[classes]int

	windings             map[string]*windingTally
	meshes, points, open int
	failures             []string
}

type windingTally struct {
	n, exceeded, large int
	worst              float64 // the largest error divided by its bound
	largest            float64 // the largest bound divided by ε
	refused            int
}

func newTally() *tally {
	return &tally{sides: map[string]*[classes]int{}, wrong: map[string]*[classes]int{}, uncertain: map[string]*[classes]int{},
		hidden: map[string]*[classes]int{}, windings: map[string]*windingTally{}}
}

func count(m map[string]*[classes]int, name string, c class) {
	if m[name] == nil {
		m[name] = new([classes]int)
	}
	m[name][c]++
}

func (y *tally) fail(format string, args ...any) {
	if len(y.failures) < 20 {
		y.failures = append(y.failures, fmt.Sprintf(format, args...))
	}
}

func (y *tally) add(z *tally) {
	for _, pair := range [][2]map[string]*[classes]int{{y.sides, z.sides}, {y.wrong, z.wrong}, {y.uncertain, z.uncertain}, {y.hidden, z.hidden}} {
		for name, n := range pair[1] {
			if pair[0][name] == nil {
				pair[0][name] = new([classes]int)
			}
			for c, k := range n {
				pair[0][name][c] += k
			}
		}
	}
	for name, w := range z.windings {
		x := y.winding(name)
		x.n, x.exceeded, x.large, x.refused = x.n+w.n, x.exceeded+w.exceeded, x.large+w.large, x.refused+w.refused
		x.worst, x.largest = max(x.worst, w.worst), max(x.largest, w.largest)
	}
	y.meshes, y.points, y.open = y.meshes+z.meshes, y.points+z.points, y.open+z.open
	for _, f := range z.failures {
		y.fail("%s", f)
	}
}

func (y *tally) winding(name string) *windingTally {
	if y.windings[name] == nil {
		y.windings[name] = new(windingTally)
	}
	return y.windings[name]
}

func (y *tally) total(m map[string]*[classes]int) (n int) {
	for _, a := range m {
		for _, k := range a {
			n += k
		}
	}
	return n
}

func (y *tally) numWindings() (n int) {
	for _, w := range y.windings {
		n += w.n
	}
	return n
}

func (y *tally) report(t *testing.T) {
	t.Helper()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "sides\t%s\tall\twrong\tuncertain\thidden\t\n", strings.Join(classNames[:], "\t"))
	sum := func(a *[classes]int) (n int) {
		if a != nil {
			for _, k := range a {
				n += k
			}
		}
		return n
	}
	for _, name := range sortedKeys(y.sides) {
		fmt.Fprintf(w, "%s\t", name)
		for _, n := range y.sides[name] {
			fmt.Fprintf(w, "%d\t", n)
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t\n", sum(y.sides[name]), sum(y.wrong[name]), sum(y.uncertain[name]), sum(y.hidden[name]))
	}
	fmt.Fprintf(w, "\nwinding numbers\tall\terror/bound ≤\texceeded\tbound/ε ≤\tabove ε\trefused\t\n")
	for _, name := range sortedKeys(y.windings) {
		x := y.windings[name]
		fmt.Fprintf(w, "%s\t%d\t%.3g\t%d\t%.3g\t%d\t%d\t\n", name, x.n, x.worst, x.exceeded, x.largest, x.large, x.refused)
	}
	_ = w.Flush()
	t.Logf("%d meshes (%d open), %d points, %d sides: %d wrong, %d uncertain, %d of them hidden; %d winding numbers\n%s",
		y.meshes, y.open, y.points, y.total(y.sides), y.total(y.wrong), y.total(y.uncertain), y.total(y.hidden), y.numWindings(), b.String())
	for _, f := range y.failures {
		t.Error(f)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// trial is one mesh with its points and verdicts. The last points are those of a grid.
type trial struct {
	name     string
	mesh     *mesh.Mesh
	grid     side.Grid
	probes   []probe
	pts      []r3.Vector
	verdicts []*verdict
	tally    *tally
}

// newTrial judges the points. It leaves out most of the points whose sides need long numbers,
// because such a point takes as long as thousands of other points.
func newTrial(t *testing.T, name string, s mesh.Soup, r adversary, points int, y *tally) *trial {
	m, err := mesh.New(t.Context(), s, mesh.Options{})
	if err != nil {
		y.fail("%s: %v", name, err)
		return nil
	}
	truth := newTruth(s)
	x := &trial{name: name, mesh: m, probes: r.probes(s, points, truth), tally: y}
	if truth.even != m.EvenEdges() || truth.closed && !m.Closed() && len(m.Degenerate()) == 0 || m.Closed() && !truth.closed {
		y.fail("%s: closed %v, even %v; the mesh says %v, %v", name, truth.closed, truth.even, m.Closed(), m.EvenEdges())
		return nil
	}
	var hard [classes]int
	x.grid = r.grid(s, points/8)
	n := x.grid.Counts
	for i := range n[0] * n[1] * n[2] {
		p := x.grid.Point(i%n[0], i/n[0]%n[1], i/n[0]/n[1])
		if truth.judge(p).easy() {
			x.probes = append(x.probes, probe{p, aligned})
		} else {
			x.grid.Counts = [3]int{}
			x.probes = x.probes[:len(x.probes)-i]
			break
		}
	}
	x.probes = slices.DeleteFunc(x.probes, func(q probe) bool {
		v := truth.judge(q.p)
		if !v.easy() {
			if hard[q.c]++; hard[q.c] > max(3, points/1024) {
				return true
			}
		}
		x.pts, x.verdicts = append(x.pts, q.p), append(x.verdicts, v)
		return false
	})
	y.meshes++
	y.points += len(x.pts)
	if !truth.closed {
		y.open++
	}
	return x
}

// method builds Locators for sides and winding numbers.
type method struct {
	build func() (sides, windings locate.Locator, err error)
	named bool // callers can choose the method by name, so all bounds are at most epsilon
}

// methods returns the methods that a caller can choose, and the methods for winding numbers among
// which FMM chooses.
func (x *trial) methods(t *testing.T, rule side.Rule, epsilon float64) map[string]method {
	s := locate.NewSurface(x.mesh, locate.SurfaceOptions{Rule: rule, Workers: 1})
	w := locate.NewWorkload(x.mesh, locate.Workload{Rule: rule, Epsilon: epsilon, Workers: 1, Points: int64(len(x.pts))})
	out := map[string]method{}
	for _, m := range locate.WindingMethods(w) {
		out["inner "+m.Name] = method{build: func() (locate.Locator, locate.Locator, error) {
			built, err := m.Build(t.Context(), s, w)
			return built.Locator, built.Locator, err
		}}
	}
	for _, m := range append(locate.Methods(), locate.Method{Name: locate.Auto}) {
		out[m.Name] = method{named: true, build: func() (locate.Locator, locate.Locator, error) {
			set, err := locate.Build(t.Context(), s, w, m.Name)
			if err != nil {
				return nil, nil, err
			}
			return set.Sides, set.Winding, nil
		}}
	}
	return out
}

// sides compares the sides of the points under a rule by every method.
func (x *trial) sides(t *testing.T, rule side.Rule) {
	want := make([]side.Side, len(x.pts))
	for i, v := range x.verdicts {
		want[i] = v.side(rule)
	}
	got := make([]side.Side, len(x.pts))
	methods := x.methods(t, rule, 1e-5)
	for _, name := range sortedKeys(methods) {
		l, _, err := methods[name].build()
		if err != nil {
			if !errors.Is(err, fmm.ErrEpsilon) {
				x.tally.fail("%s: %s: %v", x.name, name, err)
			}
			continue
		}
		if _, err := l.LocateTo(t.Context(), side.Answers{Sides: got}, x.pts, 1); err != nil {
			x.tally.fail("%s: %s: %v", x.name, name, err)
			continue
		}
		for i := range got {
			x.check(name, rule, i, got[i], want[i])
			if i%32 == 0 {
				x.check(name, rule, i, l.Side(x.pts[i]), want[i])
			}
		}
		few, dst := len(x.pts)/2, got[:min(locate.Few, len(x.pts)/2)]
		n := x.grid.Counts[0] * x.grid.Counts[1] * x.grid.Counts[2]
		base := len(x.pts) - n
		if _, err := l.LocateTo(t.Context(), side.Answers{Sides: dst}, x.pts[few:few+len(dst)], 1); err != nil {
			x.tally.fail("%s: %s: %v", x.name, name, err)
		}
		for i := range dst {
			x.check(name, rule, few+i, dst[i], want[few+i])
		}
		if err := locate.StageOf(nil, l).GridTo(t.Context(), got[:n], x.grid, 1); err != nil {
			x.tally.fail("%s: %s: %v", x.name, name, err)
		}
		for i := range n {
			x.check(name, rule, base+i, got[i], want[base+i])
		}
	}
}

func (x *trial) check(name string, rule side.Rule, i int, got, want side.Side) {
	q := &x.probes[i]
	count(x.tally.sides, name, q.c)
	if got == side.Unknown {
		count(x.tally.uncertain, name, q.c)
	}
	// The strategies use 256 bits, so they need not separate W from a threshold closer than 2⁻¹⁹⁰.
	if got == want || got == side.Unknown && x.verdicts[i].close() {
		return
	}
	if got == side.Unknown {
		count(x.tally.hidden, name, q.c)
	} else {
		count(x.tally.wrong, name, q.c)
	}
	x.tally.fail("%s (%s point), rule %v, %s: side of %s: %v, expected %v; W = %.20g", x.name, classNames[q.c], rule, name, hex(q.p), got, want, x.verdicts[i].number())
}

// windings compares n winding numbers and their bounds by every method.
func (x *trial) windings(t *testing.T, n int, epsilon float64) {
	var pts []r3.Vector
	var at []int
	for k := range min(n, len(x.pts)) {
		i := k * (len(x.pts) / min(n, len(x.pts)))
		pts, at = append(pts, x.pts[i]), append(at, i)
	}
	w, bound := make([]float64, len(pts)), make([]float64, len(pts))
	methods := x.methods(t, side.NonZero, epsilon)
	for _, name := range sortedKeys(methods) {
		row := fmt.Sprintf("%s, ε = %g", name, epsilon)
		_, l, err := methods[name].build()
		y := x.tally.winding(row)
		if err != nil {
			y.refused++
			if !errors.Is(err, fmm.ErrEpsilon) {
				x.tally.fail("%s: %s: %v", x.name, name, err)
			}
			continue
		}
		if _, err := l.LocateTo(t.Context(), side.Answers{Winding: w, Bound: bound}, pts, 1); err != nil {
			x.tally.fail("%s: %s: %v", x.name, name, err)
			continue
		}
		for k, i := range at {
			x.checkWinding(y, row, i, w[k], bound[k])
			if k%8 == 0 {
				w, b := l.Winding(pts[k])
				x.checkWinding(y, row, i, w, b)
			}
			y.largest = max(y.largest, bound[k]/epsilon)
			if bound[k] > epsilon {
				y.large++
				if methods[name].named {
					x.tally.fail("%s (%s point), %s: winding number of %s: bound %g", x.name, classNames[x.probes[i].c], row, hex(x.pts[i]), bound[k])
				}
			}
		}
	}
}

func (x *trial) checkWinding(y *windingTally, name string, i int, w, bound float64) {
	v := x.verdicts[i]
	y.n++
	diff, _ := new(big.Float).Sub(v.number(), big.NewFloat(w)).Float64()
	diff = math.Abs(diff)
	if v.t.closed && !v.on && x.mesh.Closed() && bound != 0 || diff > bound+0x1p-190 || math.IsNaN(w) {
		y.exceeded++
		q := &x.probes[i]
		x.tally.fail("%s (%s point), %s: winding number of %s: %v ± %g, expected %.30g", x.name, classNames[q.c], name, hex(q.p), w, bound, v.number())
	}
	if bound > 0 {
		y.worst = max(y.worst, diff/bound)
	}
}

// All methods answer adversarial points on meshes of at most 200 triangles as exact arithmetic
// does. With INPOLY_FULL=1 the test compares 10⁸ sides and 10⁶ winding numbers.
func TestAdversary(t *testing.T) {
	sides, windings, points, few := 60_000, 1500, 400, 4
	if testcorpus.Full() {
		sides, windings, points, few = 100_000_000, 1_000_000, 8192, 100
	}
	if testing.Short() {
		sides, windings = sides/4, windings/4
	}
	all, mu := newTally(), sync.Mutex{}
	next, enough := uint64(0), false
	var group sync.WaitGroup
	for range min(2, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for {
				mu.Lock()
				seed := next
				next++
				stop := enough
				mu.Unlock()
				if stop {
					return
				}
				y := newTally()
				oneTrial(t, seed, points, few, y)
				mu.Lock()
				all.add(y)
				enough = all.total(all.sides) >= sides && all.numWindings() >= windings || len(all.failures) > 10
				mu.Unlock()
			}
		})
	}
	group.Wait()
	all.report(t)
}

func oneTrial(t *testing.T, seed uint64, points, few int, y *tally) {
	r := adversary{rand.New(rand.NewPCG(seed, 0xad7e))}
	name, s := r.soup()
	x := newTrial(t, fmt.Sprintf("mesh %d, %s", seed, name), s, r, points, y)
	if x == nil {
		return
	}
	for rule := side.NonZero; rule <= side.EvenOdd; rule++ {
		x.sides(t, rule)
	}
	epsilons := []float64{1e-3, 1e-6, 1e-9, 1e-12, 1e-14}
	if x.mesh.Closed() {
		epsilons = epsilons[2:4]
	}
	for _, e := range epsilons {
		x.windings(t, few, e)
	}
}

// truth agrees with package referee on closed meshes, and with known winding numbers.
func TestTruth(t *testing.T) {
	for seed := range uint64(40) {
		r := adversary{rand.New(rand.NewPCG(seed, 0x7247))}
		name, s := r.soup()
		truth := newTruth(s)
		for _, q := range r.probes(s, 10, truth) {
			w, n, on := truth.cast(q.p)
			w2, n2, on2 := referee.Judge(s.Vertices, s.Faces, q.p)
			if on != on2 || !on && (truth.closed && w != w2 || truth.even && n%2 != n2%2) {
				t.Errorf("%s, %v: W = %d, %d crossings, on %v; by package referee %d, %d, %v", name, q.p, w, n, on, w2, n2, on2)
			}
			if !on && truth.closed {
				exact := truth.exact(q.p, nil, 200)
				if d, _ := new(big.Float).Sub(exact, big.NewFloat(float64(w))).Float64(); math.Abs(d) > 0x1p-199 {
					t.Errorf("%s, %v: W = %d by a ray, %.40g by angles", name, q.p, w, exact)
				}
			}
			if est, b, ok := truth.estimate(q.p); ok && !on {
				if d, _ := new(big.Float).Sub(truth.exact(q.p, nil, 200), big.NewFloat(est)).Float64(); math.Abs(d) > b {
					t.Errorf("%s, %v: the error of %v is %v, above the bound %v", name, q.p, est, d, b)
				}
			}
		}
	}
	open := newTruth(testmesh.Without(testmesh.UnitCube(), 0, 1))
	for _, c := range []struct {
		p    r3.Vector
		want *big.Rat
	}{{r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, big.NewRat(5, 6)}, {r3.Vector{Y: 0.3, Z: 0.7}, big.NewRat(1, 2)}, {r3.Vector{Y: 3, Z: 2}, big.NewRat(0, 1)}} {
		w, _ := open.exact(c.p, nil, 600).Rat(nil)
		if d, _ := new(big.Rat).Sub(w, c.want).Float64(); math.Abs(d) > 0x1p-599 {
			t.Errorf("%v: W = %s, expected %v", c.p, w.FloatString(20), c.want)
		}
	}
}

// All methods answer points on and near the surfaces of real meshes as exact arithmetic does.
// Without INPOLY_FULL=1 the test uses every second mesh.
func TestAdversaryCorpus(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	maxFaces, work := 2000, 4000
	if testcorpus.Full() {
		maxFaces, work = 20_000, 8_000_000
	}
	all, refused, large := newTally(), 0, 0
	for i, row := range rows {
		if i%2 > 0 && !testcorpus.Full() {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, row["path"]), loaders.Options{})
		switch {
		case err != nil: // the tests of package loaders check which files are refused
			refused++
			continue
		case len(soup.Faces) > maxFaces:
			large++
			continue
		case len(soup.Faces) == 0:
			continue
		}
		r := adversary{rand.New(rand.NewPCG(uint64(i), 0xc0f9))}
		x := newTrial(t, row["path"], *soup, r, max(16, min(2048, work/len(soup.Faces))), all)
		if x == nil || x.mesh.NumFaces() == 0 {
			continue
		}
		for _, rule := range []side.Rule{side.NonZero, side.Rule(1 + i%3)} {
			x.sides(t, rule)
		}
		if n := work / 100 / len(soup.Faces); n > 0 {
			x.windings(t, min(8, n), []float64{1e-3, 1e-6, 1e-9}[i%3])
		}
		if len(all.failures) > 10 {
			break
		}
	}
	t.Logf("%d files, %d refused, %d with more than %d faces", len(rows), refused, large, maxFaces)
	all.report(t)
}
