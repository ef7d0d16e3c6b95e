//go:build !base

package main

// All that depends on the library's names, for the working tree. adapter_base.go is
// the same for the revision that it is compared with.

import (
	"bytes"
	"context"
	"reflect"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
	"github.com/inpoly/inpoly/voxels"
)

// surface is a welded mesh.
type surface struct{ m *mesh.Mesh }

func (s surface) faces() int                  { return s.m.NumFaces() }
func (s surface) bodies() int                 { return len(s.m.Bodies) }
func (s surface) triangle(f int) [3]r3.Vector { return s.m.Triangle(int32(f)) }

func loadSoup(ctx context.Context, path string) (vertices []r3.Vector, faces [][3]int32, err error) {
	soup, _, err := loaders.Load(ctx, path, loaders.Options{})
	if err != nil {
		return nil, nil, err
	}
	return soup.Vertices, soup.Faces, nil
}

func load(ctx context.Context, path string) (surface, error) {
	soup, _, err := loaders.Load(ctx, path, loaders.Options{})
	if err != nil {
		return surface{}, err
	}
	m, err := mesh.NewOwned(ctx, *soup, mesh.Options{})
	return surface{m}, err
}

func weld(ctx context.Context, vertices []r3.Vector, faces [][3]int32) (surface, error) {
	m, err := mesh.NewOwned(ctx, mesh.Soup{Vertices: vertices, Faces: faces}, mesh.Options{})
	return surface{m}, err
}

func options(o setup) (opt inpoly.Options, err error) {
	opt = inpoly.Options{Tolerance: o.tolerance, Epsilon: o.epsilon, Workers: o.workers, Orient: o.orient, ExpectedPoints: o.expected}
	if opt.Method, err = inpoly.ParseMethod(o.method); err != nil {
		return opt, err
	}
	opt.Rule, err = inpoly.ParseRule(o.rule)
	return opt, err
}

// solid answers for one mesh.
type solid struct{ s *inpoly.Solid }

func newSolid(ctx context.Context, m surface, o setup) (solid, error) {
	opt, err := options(o)
	if err != nil {
		return solid{}, err
	}
	s, err := inpoly.New(ctx, m.m, opt)
	return solid{s}, err
}

func (s solid) method() string {
	return s.s.Report().Method.String()
}

func (s solid) side(p r3.Vector) uint8                { return uint8(s.s.Side(p)) }
func (s solid) winding(p r3.Vector) (w, b float64)    { return s.s.Winding(p) }
func (s solid) distance(p r3.Vector) (float64, int32) { return s.s.Distance(p) }

func (s solid) sides(ctx context.Context, pts []r3.Vector) ([]uint8, []uint64, error) {
	dst := make([]inpoly.Side, len(pts))
	stats, err := s.s.LocateTo(ctx, inpoly.Answers{Answers: side.Answers{Sides: dst}}, pts)
	return sideBytes(dst), statCounts(stats), err
}

func (s solid) windings(ctx context.Context, pts []r3.Vector) (w, b []float64, err error) {
	w, b = make([]float64, len(pts)), make([]float64, len(pts))
	return w, b, s.s.WindingsTo(ctx, w, b, pts)
}

func (s solid) both(ctx context.Context, pts []r3.Vector) (sides []uint8, w, b []float64, stats []uint64, err error) {
	dst := make([]inpoly.Side, len(pts))
	w, b = make([]float64, len(pts)), make([]float64, len(pts))
	st, err := s.s.LocateTo(ctx, inpoly.Answers{Answers: side.Answers{Sides: dst, Winding: w, Bound: b}}, pts)
	return sideBytes(dst), w, b, statCounts(st), err
}

func (s solid) distances(ctx context.Context, pts []r3.Vector) (d []float64, face []int32, err error) {
	d, face = make([]float64, len(pts)), make([]int32, len(pts))
	return d, face, s.s.DistancesTo(ctx, d, face, pts)
}

func (s solid) grid(ctx context.Context, origin, spacing r3.Vector, counts [3]int) ([]uint8, error) {
	dst := make([]inpoly.Side, counts[0]*counts[1]*counts[2])
	err := s.s.SidesGridTo(ctx, dst, inpoly.Grid{Origin: origin, Spacing: spacing, Counts: counts})
	return sideBytes(dst), err
}

// explain returns the numbers of an explanation.
func (s solid) explain(p r3.Vector) []float64 {
	e := s.s.Explain(p)
	x := []float64{float64(e.Side), e.Winding, e.Bound, float64(e.Nearest.Face), float64(e.Nearest.Body),
		e.Nearest.Distance, e.Nearest.Unsigned, e.Nearest.Bound, e.Nearest.Point.X, e.Nearest.Point.Y, e.Nearest.Point.Z,
		e.Ray.Target.X, e.Ray.Target.Y, e.Ray.Target.Z, float64(e.Ray.Discarded), float64(e.Ray.Crossed),
		float64(e.Ray.Edges), e.Ray.Boundary, e.Ray.BoundaryBound, e.Ray.Winding, e.Ray.Bound}
	for _, f := range e.On {
		x = append(x, float64(f.Face), float64(f.Body))
	}
	for _, c := range e.Ray.Crossings {
		x = append(x, float64(c.Face), float64(c.Sign), c.Distance, c.Point.X, c.Point.Y, c.Point.Z)
	}
	return x
}

// voxels returns the bytes of an array, and the numbers of its summary.
func (s solid) voxels(ctx context.Context, v voxelSetup) ([]byte, []float64, error) {
	lo, hi := bounds(surface{s.s.Mesh()})
	box := s.s.Mesh().Box()
	box.Min, box.Max = lo, hi
	g, err := voxels.FitCounts(box, v.counts)
	if err != nil {
		return nil, nil, err
	}
	format, err := voxels.ParseFormat(v.format)
	if err != nil {
		return nil, nil, err
	}
	opt := voxels.Options{Quantity: voxels.Quantity(v.quantity), Format: format, Samples: v.samples, Error: v.bound, Float64: v.float64, Workers: v.workers}
	var out bytes.Buffer
	sum, err := voxels.Write(ctx, &out, s.s, g, opt)
	return out.Bytes(), []float64{
		float64(sum.Inside), float64(sum.Outside), float64(sum.On), float64(sum.Uncertain), sum.Volume, sum.VolumeError,
		sum.MaxError, float64(sum.Mixed), float64(sum.Samples), sum.MinWinding, sum.MaxWinding, sum.MaxBound,
	}, err
}

// assembly answers for several meshes.
type several struct{ a *assembly.Assembly }

func newAssembly(ctx context.Context, meshes []surface, o setup) (several, error) {
	opt, err := options(o)
	if err != nil {
		return several{}, err
	}
	parts := make([]assembly.Part, len(meshes))
	for i, m := range meshes {
		parts[i].Mesh = m.m
	}
	a, err := assembly.New(ctx, parts, assembly.Options{Options: opt})
	return several{a}, err
}

// openAssembly makes a solid of each file, or of each body of the files.
func openAssembly(ctx context.Context, paths []string, split bool, o setup) (several, error) {
	opt, err := options(o)
	if err != nil {
		return several{}, err
	}
	a, err := assembly.Open(ctx, paths, assembly.Options{Options: opt, SplitBodies: split})
	return several{a}, err
}

func (a several) names() (names []string) {
	for i := range a.a.Len() {
		names = append(names, a.a.Name(i))
	}
	return names
}

func (a several) fileFace(body, face int32) int32 { return a.a.FileFace(int(body), face) }

func (a several) side(p r3.Vector) uint8             { return uint8(a.a.Side(p)) }
func (a several) winding(p r3.Vector) (w, b float64) { return a.a.Winding(p) }
func (a several) distance(p r3.Vector) (d float64, body, face int32) {
	return a.a.Distance(p)
}

func (a several) sides(ctx context.Context, pts []r3.Vector) ([]uint8, []uint64, error) {
	dst := make([]inpoly.Side, len(pts))
	stats, err := a.a.LocateTo(ctx, assembly.Query{}, unionSides(dst), pts)
	return sideBytes(dst), statCounts(stats), err
}

func (a several) windings(ctx context.Context, pts []r3.Vector) (w, b []float64, err error) {
	w, b = make([]float64, len(pts)), make([]float64, len(pts))
	var dst assembly.Answers
	dst.Winding, dst.Bound = w, b
	_, err = a.a.LocateTo(ctx, assembly.Query{}, dst, pts)
	return w, b, err
}

func (a several) distances(ctx context.Context, pts []r3.Vector) (d []float64, body, face []int32, err error) {
	d, body, face = make([]float64, len(pts)), make([]int32, len(pts)), make([]int32, len(pts))
	dst := assembly.Answers{NearestBody: body}
	dst.Distance, dst.Face = d, face
	_, err = a.a.LocateTo(ctx, assembly.Query{}, dst, pts)
	return d, body, face, err
}

func unionSides(dst []inpoly.Side) assembly.Answers {
	return assembly.Answers{Answers: inpoly.Answers{Answers: side.Answers{Sides: dst}}}
}

// bodyChoices are the choices that have one number for each point.
var bodyChoices = []string{"first", "innermost", "count"}

func (a several) body(choice string, p r3.Vector) int32 {
	c, err := assembly.ParseChoice(choice)
	if err != nil {
		panic(err)
	}
	return a.a.Body(p, c)
}

func (a several) bodies(ctx context.Context, choice string, pts []r3.Vector) ([]uint8, []int32, []uint64, error) {
	c, err := assembly.ParseChoice(choice)
	if err != nil {
		return nil, nil, nil, err
	}
	sides, bodies := make([]inpoly.Side, len(pts)), make([]int32, len(pts))
	dst := unionSides(sides)
	dst.Body = bodies
	stats, err := a.a.LocateTo(ctx, assembly.Query{Body: c}, dst, pts)
	return sideBytes(sides), bodies, statCounts(stats), err
}

// sets returns, for each point, 1 if its set is certain or else 0, the size of the set,
// and the set.
func (a several) sets(ctx context.Context, pts []r3.Vector) (flat []int32, err error) {
	var sets assembly.Sets
	if _, err := a.a.LocateTo(ctx, assembly.Query{}, assembly.Answers{Sets: &sets}, pts); err != nil {
		return nil, err
	}
	for i := range sets.Len() {
		bodies, certain := sets.At(i)
		flat = appendSet(flat, bodies, certain)
	}
	return flat, nil
}

// set is sets for one point.
func (a several) set(p r3.Vector) []int32 {
	bodies, certain := a.a.Bodies(nil, p)
	return appendSet(nil, bodies, certain)
}

func sideBytes(sides []inpoly.Side) []uint8 {
	b := make([]uint8, len(sides))
	for i, s := range sides {
		b[i] = uint8(s)
	}
	return b
}

// statCounts returns the fields of s.
func statCounts(s inpoly.Stats) (counts []uint64) {
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		counts = append(counts, v.Field(i).Uint())
	}
	return counts
}
