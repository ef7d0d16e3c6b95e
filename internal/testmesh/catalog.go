package testmesh

import (
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/mesh"
)

// Probe is a point whose relation to a solid is known.
type Probe struct {
	Point r3.Vector
	On    bool // the point is exactly on a face
	W     int  // winding number of the point if On is false
}

// Case is a test solid with probes whose answers follow from the construction of the solid.
type Case struct {
	Name   string
	Soup   mesh.Soup
	Closed bool // the boundary chain of the solid is empty
	Even   bool // every edge of the solid has an even number of faces
	Probes []Probe
}

// Catalog returns the named cases: a correct cube, cubes with the usual defects of files, and other
// solids. The scales of the solids are ordinary, extreme or mixed. All probes of an open solid are
// on its surface.
func Catalog() []Case {
	in := Probe{Point: r3.Vector{X: 0.25, Y: 0.5, Z: 0.625}, W: 1}
	out := Probe{Point: r3.Vector{X: 1.5, Y: 0.5, Z: 0.5}}
	surface := []Probe{
		{Point: r3.Vector{X: 0.25, Y: 0.5, Z: 0}, On: true},  // inside a face
		{Point: r3.Vector{X: 0.5, Y: 0.5, Z: 0}, On: true},   // on the diagonal of a side
		{Point: r3.Vector{X: 0.25, Y: 0, Z: 0}, On: true},    // on an edge
		{Point: r3.Vector{X: 0, Y: 0, Z: 0}, On: true},       // a vertex
		{Point: r3.Vector{X: 1, Y: 0.375, Z: 0.5}, On: true}, // on the side +x
	}
	// These probes lie outside the cube, but in the plane of a face or on the line of an edge.
	aligned := []Probe{
		{Point: r3.Vector{X: 2}}, {Point: r3.Vector{X: 2, Y: 1, Z: 1}}, {Point: r3.Vector{X: -1, Y: 0.5}},
		{Point: r3.Vector{X: 2, Y: 2, Z: 2}}, {Point: r3.Vector{X: -1, Y: -1}}, {Point: r3.Vector{Z: 0x1p60}},
	}
	// probes returns all probes of a closed cube whose interior has the winding number w.
	probes := func(w int) []Probe {
		return slices.Concat([]Probe{{Point: in.Point, W: w}, out}, surface, aligned)
	}
	cube := UnitCube()
	const h = 0x1p-565 // about 1e-170
	far, small := r3.Vector{X: 1e6, Y: 1e6, Z: 1e6}, r3.Vector{X: 0.01, Y: 0.01, Z: 0.01}
	cases := []Case{
		{"cube", cube, true, true, probes(1)},
		{"cube inverted", Flip(cube), true, true, probes(-1)},
		{"cube of corners", Corners(cube), true, true, probes(1)},
		{"cube without a face", Without(cube, 0), false, false, surface},
		{"cube with a face flipped", Flip(cube, 0), false, true, surface},
		{"cube with a face doubled", Double(cube, 0), false, false, surface},
		{"cube with all faces doubled", Double(cube), true, true, probes(2)},
		{"cube with all faces and their opposites", Union(cube, Flip(cube)), true, true, probes(0)},
		{"cube with zero-area faces", WithDegenerate(cube, 20, 1), true, true, probes(1)},
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
		{"cube of 0.01 at 1e6", Cube(far, far.Add(small)), true, true, []Probe{
			{Point: r3.Vector{X: 1e6 + 0.005, Y: 1e6 + 0.004, Z: 1e6 + 0.003}, W: 1},
			{Point: r3.Vector{X: 1e6 - 0.005, Y: 1e6 + 0.004, Z: 1e6 + 0.003}},
			{Point: r3.Vector{X: 1e6, Y: 1e6 + 0.004, Z: 1e6 + 0.003}, On: true},
			{Point: far, On: true},
		}},
		// The plate is so thin that the square of its thickness h underflows.
		{"plate of 1 and 1e-170", Cube(r3.Vector{}, r3.Vector{X: 1, Y: 1, Z: h}), true, true, []Probe{
			{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h / 2}, W: 1},
			{Point: r3.Vector{X: 0.25, Y: 0.5, Z: -h}},
			{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h * (1 + 0x1p-52)}},
			{Point: r3.Vector{X: 0.25, Y: 0.5, Z: h}, On: true},
		}},
		{"nothing", mesh.Soup{}, true, true, []Probe{{Point: r3.Vector{}}}},
	}
	cases = append(cases, scaled(cases[0])...)
	return append(cases, scaled(cases[3])[0])
}

// scaled returns copies of c at five extreme scales. The scales are powers of two, so the
// coordinates of the probes stay exact.
func scaled(c Case) []Case {
	var out []Case
	for _, e := range []struct {
		name  string
		scale float64
	}{{"1e-18", 0x1p-60}, {"1e18", 0x1p60}, {"1e-120", 0x1p-400}, {"1e120", 0x1p400}, {"1e-300", 0x1p-1000}} {
		k := c
		k.Name, k.Soup, k.Probes = c.Name+" at "+e.name, Scale(c.Soup, e.scale), slices.Clone(c.Probes)
		for i := range k.Probes {
			k.Probes[i].Point = k.Probes[i].Point.Mul(e.scale)
		}
		out = append(out, k)
	}
	return out
}
