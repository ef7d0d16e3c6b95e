package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"
)

// setup is how a solid or an assembly is made.
type setup struct {
	method, rule       string
	workers            int
	tolerance, epsilon float64
	orient             bool
	expected           int64
}

func (o setup) String() string { return o.method + "|" + o.rule + "|" + strconv.Itoa(o.workers) }

// voxelSetup is how an array of voxels is made. The quantities are occupancy, winding
// number and fraction.
type voxelSetup struct {
	quantity       int
	format         string
	counts         [3]int
	samples        int
	bound, float64 bool
	workers        int
}

var (
	methods = []string{"raycross", "cells", "direct", "fmm", "auto"}
	rules   = []string{"nonzero", "positive", "negative", "evenodd"}
	workers = []int{1, 3}
)

// singles is the number of points that are also asked for one by one.
const singles = 48

// collector records the answers of one unit of work.
type collector struct {
	*record
	ctx  context.Context
	name string // of the unit
	work int64  // limit of triangles × points of a batch for the method direct
}

// limit returns the points that a batch of a mesh with n faces may have.
func (c *collector) limit(o setup, pts []r3.Vector, n int) []r3.Vector {
	if o.method != "direct" || n == 0 {
		return pts
	}
	return pts[:min(int64(len(pts)), max(singles, c.work/int64(n)))]
}

// mesh asks everything about the mesh at path.
func (c *collector) mesh(path string) {
	m, err := load(c.ctx, path)
	if c.failed("load", err) {
		return
	}
	pts := testPoints(c.name, m)
	c.points("points", pts)
	size := diagonal(m)
	for _, method := range methods {
		for _, rule := range rules {
			for _, w := range workers {
				o := setup{method: method, rule: rule, workers: w}
				c.solid(o.String(), m, o, c.limit(o, pts, m.faces()))
			}
		}
		few := c.limit(setup{method: method}, pts, m.faces())
		few = few[:min(len(few), 500)]
		o := setup{method: method, rule: "nonzero", workers: 3}
		variant := func(name string, change func(o *setup)) {
			v := o
			change(&v)
			c.solid(v.String()+"|"+name, m, v, few)
		}
		variant("tolerance", func(o *setup) { o.tolerance = 1e-3 * size })
		variant("epsilon", func(o *setup) { o.epsilon = 1e-4 })
		variant("orient", func(o *setup) { o.orient = true })
		variant("few", func(o *setup) { o.expected = 5 })
		c.voxels(m, o)
	}
	if m.bodies() > 1 {
		for _, method := range methods {
			for _, w := range workers {
				o := setup{method: method, rule: "nonzero", workers: w}
				as, err := openAssembly(c.ctx, []string{path}, true, o)
				if key := o.String() + "|bodies"; !c.failed(key, err) {
					c.assembly(key, as, c.limit(o, pts, m.faces()))
				}
			}
		}
	}
}

// group asks everything about assemblies of the meshes at paths: the files as they are,
// and their meshes moved and scaled so that their boxes overlap.
func (c *collector) group(paths []string) {
	var moved []surface
	var readable []string
	faces := 0
	for i, path := range paths {
		vertices, triangles, err := loadSoup(c.ctx, path)
		if c.failed("load|"+strconv.Itoa(i), err) || len(triangles) == 0 {
			continue
		}
		normalize(vertices, triangles, i)
		m, err := weld(c.ctx, vertices, triangles)
		if c.failed("weld|"+strconv.Itoa(i), err) {
			continue
		}
		moved, readable = append(moved, m), append(readable, path)
		faces += m.faces()
	}
	if len(moved) == 0 {
		return
	}
	var pts []r3.Vector
	for i, m := range moved {
		p := testPoints(c.name+strconv.Itoa(i), m)
		pts = append(pts, p[:len(p)/len(moved)+1]...)
	}
	c.points("points", pts)
	for _, method := range methods {
		for _, rule := range rules {
			for _, w := range workers {
				o := setup{method: method, rule: rule, workers: w}
				as, err := newAssembly(c.ctx, moved, o)
				if key := o.String() + "|moved"; !c.failed(key, err) {
					c.assembly(key, as, c.limit(o, pts, faces))
				}
			}
		}
		o := setup{method: method, rule: "nonzero", workers: 3}
		for name, split := range map[string]bool{"files": false, "split": true} {
			as, err := openAssembly(c.ctx, readable, split, o)
			if key := o.String() + "|" + name; !c.failed(key, err) {
				c.assembly(key, as, c.limit(o, c.filePoints(readable), faces))
			}
		}
		o.tolerance = 1e-3
		as, err := newAssembly(c.ctx, moved, o)
		if key := o.String() + "|tolerance"; !c.failed(key, err) {
			c.assembly(key, as, c.limit(o, pts, faces))
		}
	}
}

// filePoints returns points for the files as they are.
func (c *collector) filePoints(paths []string) (pts []r3.Vector) {
	for _, path := range paths {
		if m, err := load(c.ctx, path); err == nil {
			p := testPoints(c.name+path[len(filepath.Dir(path)):], m)
			pts = append(pts, p[:len(p)/len(paths)+1]...)
		}
	}
	return pts
}

// normalize moves the used vertices into the cube [0,1]³ and then by i/8 along an axis. It
// scales by a power of two.
func normalize(vertices []r3.Vector, faces [][3]int32, i int) {
	lo := r3.Vector{X: math.Inf(1), Y: math.Inf(1), Z: math.Inf(1)}
	hi := lo.Mul(-1)
	for _, f := range faces {
		for _, v := range f {
			p := vertices[v]
			lo.X, hi.X = min(lo.X, p.X), max(hi.X, p.X)
			lo.Y, hi.Y = min(lo.Y, p.Y), max(hi.Y, p.Y)
			lo.Z, hi.Z = min(lo.Z, p.Z), max(hi.Z, p.Z)
		}
	}
	d := hi.Sub(lo)
	_, exponent := math.Frexp(max(d.X, d.Y, d.Z))
	scale := math.Ldexp(1, -exponent)
	off := [3]float64{}
	off[i%3] = float64(i) / 8
	for k, p := range vertices {
		vertices[k] = p.Sub(lo).Mul(scale).Add(r3.Vector{X: off[0], Y: off[1], Z: off[2]})
	}
}

func diagonal(m surface) float64 {
	lo, hi := bounds(m)
	return hi.Sub(lo).Norm()
}

func (c *collector) points(key string, pts []r3.Vector) {
	var x []float64
	for _, p := range pts {
		x = append(x, p.X, p.Y, p.Z)
	}
	c.floats(key, x)
}

// solid asks everything about one solid, in a fixed order: single winding numbers and
// batches of them come first, as some methods build a better index once many points were
// asked for.
func (c *collector) solid(key string, m surface, o setup, pts []r3.Vector) {
	s, err := newSolid(c.ctx, m, o)
	if c.failed(key, err) {
		return
	}
	c.text(key+"|method", s.method())
	few := pts[:min(len(pts), singles)]
	var w1, b1, d1 []float64
	var s1 []uint8
	var f1 []int32
	for _, p := range few {
		w, b := s.winding(p)
		w1, b1 = append(w1, w), append(b1, b)
	}
	c.floats(key+"|winding1", w1)
	c.floats(key+"|bound1", b1)
	c.batches(key, s, pts)
	for _, p := range few {
		s1 = append(s1, s.side(p))
		d, f := s.distance(p)
		d1, f1 = append(d1, d), append(f1, f)
	}
	c.bytes(key+"|side1", s1)
	c.floats(key+"|distance1", d1)
	c.ints(key+"|face1", f1)
	var e []float64
	for _, p := range few[:min(len(few), 12)] {
		e = append(e, s.explain(p)...)
	}
	c.floats(key+"|explain", e)
	lo, hi := bounds(m)
	counts := [3]int{9, 8, 7}
	d := hi.Sub(lo)
	spacing := r3.Vector{X: d.X / 6, Y: d.Y / 5, Z: d.Z / 5}
	if spacing.X > 0 && spacing.Y > 0 && spacing.Z > 0 {
		g, err := s.grid(c.ctx, lo.Sub(spacing.Mul(.5)), spacing, counts)
		if !c.failed(key+"|grid", err) {
			c.bytes(key+"|grid", g)
		}
	}
}

func (c *collector) batches(key string, s solid, pts []r3.Vector) {
	w, b, err := s.windings(c.ctx, pts)
	if !c.failed(key+"|winding", err) {
		c.floats(key+"|winding", w)
		c.floats(key+"|bound", b)
	}
	sides, stats, err := s.sides(c.ctx, pts)
	if !c.failed(key+"|sides", err) {
		c.bytes(key+"|sides", sides)
		c.counts(key+"|stats", stats)
	}
	sides, w, b, stats, err = s.both(c.ctx, pts)
	if !c.failed(key+"|both", err) {
		c.bytes(key+"|both sides", sides)
		c.floats(key+"|both winding", w)
		c.floats(key+"|both bound", b)
		c.counts(key+"|both stats", stats)
	}
	d, face, err := s.distances(c.ctx, pts)
	if !c.failed(key+"|distance", err) {
		c.floats(key+"|distance", d)
		c.ints(key+"|face", face)
	}
}

// voxels asks for small arrays of every kind.
func (c *collector) voxels(m surface, o setup) {
	s, err := newSolid(c.ctx, m, o)
	if c.failed(o.String()+"|voxels", err) {
		return
	}
	for _, v := range []voxelSetup{
		{quantity: 0, format: "npy", counts: [3]int{17, 15, 13}, workers: 3},
		{quantity: 1, format: "nrrd", counts: [3]int{9, 8, 7}, bound: true, float64: true, workers: 1},
		{quantity: 1, format: "raw", counts: [3]int{9, 8, 7}, bound: true, workers: 3},
		{quantity: 2, format: "vti", counts: [3]int{7, 8, 9}, samples: 3, bound: true, float64: true, workers: 3},
	} {
		data, sum, err := s.voxels(c.ctx, v)
		key := fmt.Sprintf("%v|voxels %d %s %d", o, v.quantity, v.format, v.workers)
		if !c.failed(key, err) {
			c.bytes(key, data)
			c.floats(key+"|summary", sum)
		}
	}
}

// assembly asks everything about an assembly.
func (c *collector) assembly(key string, as several, pts []r3.Vector) {
	c.text(key+"|names", strings.Join(as.names(), "\n"))
	few := pts[:min(len(pts), singles)]
	var w1, b1, d1 []float64
	var s1 []uint8
	var n1 []int32
	for _, p := range few {
		w, b := as.winding(p)
		w1, b1, s1 = append(w1, w), append(b1, b), append(s1, as.side(p))
	}
	c.floats(key+"|winding1", w1)
	c.floats(key+"|bound1", b1)
	c.bytes(key+"|side1", s1)
	w, b, err := as.windings(c.ctx, pts)
	if !c.failed(key+"|winding", err) {
		c.floats(key+"|winding", w)
		c.floats(key+"|bound", b)
	}
	sides, stats, err := as.sides(c.ctx, pts)
	if !c.failed(key+"|sides", err) {
		c.bytes(key+"|sides", sides)
		c.counts(key+"|stats", stats)
	}
	d, body, face, err := as.distances(c.ctx, pts)
	if !c.failed(key+"|distance", err) {
		c.floats(key+"|distance", d)
		c.ints(key+"|distance body", body)
		c.ints(key+"|face", face)
		var inFile []int32
		for i, f := range face {
			if f >= 0 {
				inFile = append(inFile, as.fileFace(body[i], f))
			}
		}
		c.ints(key+"|file face", inFile)
	}
	for _, choice := range bodyChoices {
		sides, bodies, stats, err := as.bodies(c.ctx, choice, pts)
		if !c.failed(key+"|"+choice, err) {
			c.bytes(key+"|"+choice+" sides", sides)
			c.ints(key+"|"+choice, bodies)
			c.counts(key+"|"+choice+" stats", stats)
		}
		for _, p := range few {
			n1 = append(n1, as.body(choice, p))
		}
	}
	sets, err := as.sets(c.ctx, pts)
	if !c.failed(key+"|sets", err) {
		c.ints(key+"|sets", sets)
	}
	for _, p := range few {
		n1 = append(n1, as.set(p)...)
		d, body, face := as.distance(p)
		d1, n1 = append(d1, d), append(n1, body, face)
	}
	c.floats(key+"|distance1", d1)
	c.ints(key+"|body1", n1)
}

// appendSet appends a set of bodies to flat: 1 or 0 for a certain or uncertain set, its
// size, and its members.
func appendSet(flat, bodies []int32, certain bool) []int32 {
	known := int32(0)
	if certain {
		known = 1
	}
	flat = append(flat, known, int32(len(bodies)))
	return append(flat, bodies...)
}
