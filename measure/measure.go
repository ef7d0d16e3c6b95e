package measure

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/mesh"
)

// ErrDensity reports a density that is negative or not finite.
var ErrDensity = errors.New("density must be finite and not negative")

// Options configures the functions of this package. The zero value measures a solid of density 1.
type Options struct {
	// Density is the mass of a unit of volume. 0 means 1.
	Density float64
}

// Reasons for numbers that are not determined.
const (
	// ReasonOpen is the Reason of a part that is not closed.
	ReasonOpen = "the surface is not closed"
	// ReasonNoVolume is the Reason of a part whose volume is 0 within its bound. Its centroid and
	// its moments of inertia are not determined, but its volume is.
	ReasonNoVolume = "the volume is 0 within its bound"
	// ReasonRange is the Reason of a part with a number that exceeds the range of float64.
	ReasonRange = "a number exceeds the range of float64"
)

// Properties are the integrals over a solid or a part of it. Lengths have the unit of the mesh. Each
// bound is an upper bound of the error of its number. A number that is not determined is NaN, and its
// bound is +Inf.
type Properties struct {
	// Name is the name of the body, or "". First is the first face, and Faces the number of faces.
	Name  string
	First int32
	Faces int
	// Closed reports whether the boundary chain of the part is empty. Otherwise only the area is
	// determined.
	Closed bool
	// Reason says why numbers are not determined, or is "".
	Reason string

	// Area is the sum of the areas of the faces. Faces inside the solid and copies of faces count.
	Area, AreaBound float64
	// Volume is the integral of the winding number.
	Volume, VolumeBound float64
	// Mass is the density times the volume.
	Mass, MassBound float64
	// Centroid is the center of mass. CentroidBound bounds the error of each coordinate.
	Centroid, CentroidBound r3.Vector
	// Inertia is the inertia tensor about the centroid, in the axes of the world, times the density.
	// Its diagonal has the moments of inertia, such as ∫(y²+z²), and the other elements are
	// −∫x·y and so on. InertiaBound bounds the error of each element.
	Inertia      [3][3]float64
	InertiaBound float64
	// Moments are the principal moments of inertia in ascending order. MomentsBound bounds the error
	// of each moment.
	Moments      [3]float64
	MomentsBound float64
	// Axes are the principal axes: Axes[i] belongs to Moments[i]. They are unit vectors of a
	// right-handed frame. AxesBound[i] bounds the angle in radians between Axes[i] and an exact axis
	// of moment i, up to a half turn. If moment i equals another moment within the bounds, its axis
	// is not determined: AxesBound[i] is +Inf, and Axes[i] is one of many equal choices.
	Axes      [3]r3.Vector
	AxesBound [3]float64
}

func (o Options) density() (float64, error) {
	switch {
	case !(o.Density >= 0) || math.IsInf(o.Density, 0):
		return 0, fmt.Errorf("density %g: %w", o.Density, ErrDensity)
	case o.Density == 0:
		return 1, nil
	}
	return o.Density, nil
}

// Whole returns the properties of the whole mesh of t, at its pose. It takes O(n) time for n faces. Errors:
// ErrDensity; the error of ctx if ctx ends first.
func Whole(ctx context.Context, t inpoly.Target, opt Options) (Properties, error) {
	m := t.Mesh()
	return properties(ctx, &part{mesh: m, box: m.Box(), closed: m.Closed()}, opt, locate.Of(t))
}

// Bodies returns the properties of each body of the mesh, and of the faces outside all bodies, if
// there are any. The names are those of mesh.Mesh.BodyNames. A mesh without bodies has one body. If
// two bodies share an edge, each can be open although the mesh is closed. Errors: those of Whole.
func Bodies(ctx context.Context, t inpoly.Target, opt Options) ([]Properties, error) {
	m := t.Mesh()
	lists := bodyFaces(m)
	names := m.BodyNames()
	var out []Properties
	for i, faces := range lists {
		if len(faces) == 0 && i == len(lists)-1 && i > 0 {
			break // no face is outside the bodies
		}
		of, err := m.Extract(ctx, faces)
		if err != nil {
			return nil, err
		}
		p, err := properties(ctx, &part{mesh: of, box: of.Box(), closed: of.Closed()}, opt, locate.Of(t))
		if err != nil {
			return nil, err
		}
		if len(faces) > 0 {
			p.First = faces[0]
		}
		if i < len(names) {
			p.Name = names[i]
		}
		out = append(out, p)
	}
	return out, nil
}

// bodyFaces returns the faces of each body, followed by the faces outside all bodies.
func bodyFaces(m *mesh.Mesh) [][]int32 {
	lists := make([][]int32, len(m.Bodies)+1)
	taken := make([]bool, len(m.Faces))
	for i, b := range m.Bodies {
		for f := b.First; f < b.First+b.Count; f++ {
			lists[i], taken[f] = append(lists[i], f), true
		}
	}
	for f, t := range taken {
		if !t {
			lists[len(m.Bodies)] = append(lists[len(m.Bodies)], int32(f))
		}
	}
	if len(m.Bodies) == 0 {
		return lists[:1]
	}
	return lists
}

// Components returns the properties of each component of the mesh, in the order of
// mesh.Diagnosis.Components. Two faces are in the same component if welded vertices connect them.
// Faces that lost a corner to welding are in no component. Errors: those of Whole.
func Components(ctx context.Context, t inpoly.Target, opt Options) ([]Properties, error) {
	m := t.Mesh()
	labels, n := m.Components()
	list := t.Report().Diagnosis.Components
	starts := make([]int32, n+1)
	for _, l := range labels {
		if l >= 0 {
			starts[l+1]++
		}
	}
	for i := range n {
		starts[i+1] += starts[i]
	}
	order, next := make([]int32, starts[n]), append([]int32{}, starts...)
	for f, l := range labels {
		if l >= 0 {
			order[next[l]] = int32(f)
			next[l]++
		}
	}
	out := make([]Properties, n)
	for i := range out {
		p := &part{mesh: m, faces: order[starts[i]:starts[i+1]], box: list[i].Box, closed: list[i].Closed}
		var err error
		if out[i], err = properties(ctx, p, opt, locate.Of(t)); err != nil {
			return nil, err
		}
		out[i].First = list[i].First
	}
	return out, nil
}

// properties returns the properties of p at the pose of a set.
func properties(ctx context.Context, p *part, opt Options, set *locate.Set) (Properties, error) {
	out, err := p.properties(ctx, opt, set.Workers)
	if err == nil && set.Place != nil {
		out.move(set.Place)
	}
	return out, err
}

// properties returns the properties of p in the frame of the mesh.
func (p *part) properties(ctx context.Context, opt Options, workers int) (out Properties, err error) {
	density, err := opt.density()
	if err != nil {
		return out, err
	}
	g, err := p.integrate(ctx, workers)
	if err != nil {
		return out, err
	}
	e := g.Exponent
	out.Faces, out.Closed = p.len(), p.closed
	area := g.area.scaled(2 * e)
	out.Area, out.AreaBound = area.x, area.e
	nan := r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
	inf := r3.Vector{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)}
	out.set(undetermined, undetermined)
	out.Centroid, out.CentroidBound = nan, inf
	out.Inertia, out.InertiaBound = [3][3]float64{}, math.Inf(1)
	out.Moments, out.MomentsBound = [3]float64{math.NaN(), math.NaN(), math.NaN()}, math.Inf(1)
	for i := range 3 {
		out.Axes[i], out.AxesBound[i] = nan, math.Inf(1)
		out.Inertia[i] = [3]float64{math.NaN(), math.NaN(), math.NaN()}
	}
	if !p.closed {
		out.Reason = ReasonOpen
		return out, nil
	}
	volume := g.volume.scaled(3 * e)
	out.set(volume, volume.times(ball{density, 0}))
	center := g.centroid()
	if math.IsInf(center[0].e, 1) {
		out.Reason = ReasonNoVolume
		return out, nil
	}
	o := g.Origin()
	var c [3]ball
	for i := range c {
		c[i] = center[i].scaled(e).plus(ball{coordinate(o, i), 0})
	}
	out.Centroid = r3.Vector{X: c[0].x, Y: c[1].x, Z: c[2].x}
	out.CentroidBound = r3.Vector{X: c[0].e, Y: c[1].e, Z: c[2].e}
	g.inertia(&out, density)
	for _, x := range []float64{out.Area, out.Volume, out.Mass, out.InertiaBound, out.MomentsBound} {
		if math.IsInf(x, 0) {
			out.Reason = ReasonRange
		}
	}
	return out, nil
}

func (p *Properties) set(volume, mass ball) {
	p.Volume, p.VolumeBound, p.Mass, p.MassBound = volume.x, volume.e, mass.x, mass.e
}

// centroid returns the centroid in the frame.
func (g *integrals) centroid() (c [3]ball) {
	for i := range c {
		c[i] = g.first[i].over(g.volume)
	}
	return c
}

// inertia sets the inertia tensor of p, its principal moments and its axes.
func (g *integrals) inertia(p *Properties, density float64) {
	var m [6]ball // second moments about the centroid
	for i, ij := range pairs {
		m[i] = g.second[i].minus(g.first[ij[0]].times(g.first[ij[1]]).over(g.volume))
	}
	t := [3][3]ball{
		{m[1].plus(m[2]), m[3].neg(), m[5].neg()},
		{m[3].neg(), m[2].plus(m[0]), m[4].neg()},
		{m[5].neg(), m[4].neg(), m[0].plus(m[1])},
	}
	var a symmetric
	most, square := 0.0, 0.0
	outer := func(b ball) ball { return b.scaled(5 * g.Exponent).times(ball{density, 0}) }
	for i := range t {
		for j := range t[i] {
			a[i][j] = t[i][j].x
			square = math.Hypot(square, t[i][j].e)
			b := outer(t[i][j])
			p.Inertia[i][j], most = b.x, max(most, b.e)
		}
	}
	p.InertiaBound = most
	q := diagonalize(a, square*(1+16*unit))
	p.MomentsBound = 0
	for i, x := range q.values {
		b := outer(ball{x, q.bound})
		p.Moments[i], p.MomentsBound = b.x, max(p.MomentsBound, b.e)
	}
	p.Axes, p.AxesBound = q.axes, q.angles
}
