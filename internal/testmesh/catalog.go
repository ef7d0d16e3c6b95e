package testmesh

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Probe is a point with its known answers.
type Probe struct {
	Point r3.Vector
	On    bool // exactly on a face; W is not given then
	W     int  // winding number
}

// Case is a test solid with probes whose answers follow from its construction.
type Case struct {
	Name   string
	Soup   mesh.Soup
	Closed bool // the boundary chain is empty
	Even   bool // every edge has an even number of faces
	Probes []Probe
}

// Catalog returns the named cases: a cube as it should be and in every way in
// which files spoil it, at ordinary, extreme and mixed scales. Open cases have
// probes on the surface only.
func Catalog() []Case {
	in := Probe{Point: r3.Vector{X: 0.25, Y: 0.5, Z: 0.625}, W: 1}
	out := Probe{Point: r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}}
	surface := []Probe{
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: 0}, On: true},  // inside a face
		{Point: r3.Vector{X: 0.5, Y: 0.5, Z: 0}, On: true},   // on a diagonal
		{Point: r3.Vector{X: 0.25, Y: 0, Z: 0}, On: true},    // on an edge
		{Point: r3.Vector{X: 0, Y: 0, Z: 0}, On: true},       // a vertex
		{Point: r3.Vector{X: 1, Y: 0.375, Z: 0.5}, On: true}, // on the far side
	}
	// Outside, but in the planes, on the lines of edges and beside vertices.
	aligned := []Probe{
		{Point: r3.Vector{X: 2}}, {Point: r3.Vector{X: 2, Y: 1, Z: 1}}, {Point: r3.Vector{X: -1, Y: 0.5}},
		{Point: r3.Vector{X: 2, Y: 2, Z: 2}}, {Point: r3.Vector{X: -1, Y: -1}}, {Point: r3.Vector{Z: 0x1p60}},
	}
	probes := func(parts ...[]Probe) []Probe {
		var all []Probe
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	winding := func(w int) []Probe { return []Probe{{Point: in.Point, W: w}, out} }
	cube := UnitCube()
	cases := []Case{
		{"cube", cube, true, true, probes(winding(1), surface, aligned)},
		{"cube inverted", Flip(cube), true, true, probes(winding(-1), surface, aligned)},
		{"cube of corners", Corners(cube), true, true, probes(winding(1), surface, aligned)},
		{"cube without a face", Without(cube, 0), false, false, surface},
		{"cube with a face flipped", Flip(cube, 0), false, true, surface},
		{"cube with a face doubled", Double(cube, 0), false, false, surface},
		{"cube with all faces doubled", Double(cube), true, true, probes(winding(2), surface, aligned)},
		{"cube with all faces and their opposites", Union(cube, Flip(cube)), true, true, probes(winding(0), surface, aligned)},
		{"cube with zero-area faces", WithDegenerate(cube, 20, 1), true, true, probes(winding(1), surface, aligned)},
		{"cube with a T-junction", TJunction(), false, false, surface},
		{"cubes side by side", Union(cube, Translate(cube, r3.Vector{X: 1})), true, true, []Probe{
			in, {Point: r3.Vector{X: 1.5, Y: 0.5, Z: 0.25}, W: 1}, {Point: r3.Vector{X: 1, Y: 0.5, Z: 0.25}, On: true}, {Point: r3.Vector{X: 2.5}},
		}},
		{"cubes that overlap", Overlapping(), true, true, []Probe{
			{Point: r3.Vector{}, W: 2}, {Point: r3.Vector{X: -1.5}, W: 1}, {Point: r3.Vector{X: 2.5, Y: 1, Z: 1}, W: 1}, {Point: r3.Vector{X: 2.5, Y: -1.5}},
			{Point: r3.Vector{X: 2, Y: 0.25, Z: 0.5}, On: true},
		}},
		{"cube in a cube", Nested(false), true, true, []Probe{
			{Point: r3.Vector{}, W: 2}, {Point: r3.Vector{X: 1.5}, W: 1}, {Point: r3.Vector{X: 3}}, {Point: r3.Vector{X: 1}, On: true},
		}},
		{"cube with a cavity", Nested(true), true, true, []Probe{
			{Point: r3.Vector{}}, {Point: r3.Vector{X: 1.5}, W: 1}, {Point: r3.Vector{X: 3}}, {Point: r3.Vector{X: 1}, On: true},
		}},
		{"tetrahedron", Tetrahedron(), true, true, []Probe{
			{Point: r3.Vector{X: 0.125, Y: 0.125, Z: 0.125}, W: 1}, {Point: r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}},
			{Point: r3.Vector{X: 0.5, Y: 0.25, Z: 0.25}, On: true},
		}},
		{"torus", Torus(2, 0.5, 24, 12), true, true, []Probe{
			{Point: r3.Vector{X: 2}, W: 1}, {Point: r3.Vector{}}, {Point: r3.Vector{Z: 3}}, {Point: r3.Vector{X: 2.5}, On: true},
		}},
		{"star", Star(3, 0.75, 1), true, true, []Probe{{Point: r3.Vector{}, W: 1}, {Point: r3.Vector{X: 1, Y: 1, Z: 1}}}},
		{"Möbius strip", Moebius(12), false, false, []Probe{{Point: r3.Vector{X: 0.5}, On: true}}},
		{"hemisphere", Hemisphere(2), false, false, []Probe{{Point: r3.Vector{X: 1}, On: true}}},
		{"nothing", mesh.Soup{}, true, true, []Probe{{Point: r3.Vector{}}}},
	}
	cases = append(cases, scaled("cube", cases[0])...)
	return append(cases, scaled("cube without a face", cases[3])[0], offset(), mixed())
}

// scaled returns c at extreme powers of two near 1e±18, 1e±120 and 1e-300, so that
// the probes stay exact.
func scaled(name string, c Case) []Case {
	var out []Case
	for _, e := range []struct {
		name  string
		scale float64
	}{{"1e-18", 0x1p-60}, {"1e18", 0x1p60}, {"1e-120", 0x1p-400}, {"1e120", 0x1p400}, {"1e-300", 0x1p-1000}} {
		k := Case{Name: name + " at " + e.name, Soup: Scale(c.Soup, e.scale), Closed: c.Closed, Even: c.Even}
		for _, p := range c.Probes {
			p.Point = p.Point.Mul(e.scale)
			k.Probes = append(k.Probes, p)
		}
		out = append(out, k)
	}
	return out
}

// offset returns a cube of 0.01 at 1e6, in the rounded coordinates that a file
// would hold.
func offset() Case {
	lo, hi := r3.Vector{X: 1e6, Y: 1e6, Z: 1e6}, r3.Vector{X: 1e6 + 0.01, Y: 1e6 + 0.01, Z: 1e6 + 0.01}
	return Case{"cube of 0.01 at 1e6", Cube(lo, hi), true, true, []Probe{
		{Point: r3.Vector{X: 1e6 + 0.005, Y: 1e6 + 0.004, Z: 1e6 + 0.003}, W: 1},
		{Point: r3.Vector{X: 1e6 - 0.005, Y: 1e6 + 0.004, Z: 1e6 + 0.003}},
		{Point: r3.Vector{X: 1e6, Y: 1e6 + 0.004, Z: 1e6 + 0.003}, On: true},
		{Point: lo, On: true},
	}}
}

// mixed returns a plate of 1 by 1 by 1e-170: products of its coordinates underflow.
func mixed() Case {
	const h = 0x1p-565 // about 1e-170
	return Case{"plate of 1 and 1e-170", Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: h}), true, true, []Probe{
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h / 2}, W: 1},
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: -h}},
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h * (1 + 0x1p-52)}},
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h}, On: true},
	}}
}
