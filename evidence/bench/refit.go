package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// refitTable compares Solid.Refit with inpoly.New in CPU time. The vertices nearest to one vertex move by
// a bump. Every second refit moves them back. Both kinds of refit are measured.
func (b *bench) refitTable() error {
	header("<mesh", "triangles", "<method", "moved vertices", "share", "New CPU s", "Refit CPU s", "ratio", "shared bricks", "<reason", "different sides")
	levels := []int{7, 9}
	if b.quick {
		levels = []int{5}
	}
	for _, level := range levels {
		if err := b.refitRows("sphere", testmesh.Sphere(level)); err != nil {
			return err
		}
	}
	if b.quick {
		return nil
	}
	return b.refitRows("foam", testmesh.Foam(mesh.FoamOptions{Cells: 216, Resolution: 64}))
}

func (b *bench) refitRows(name string, m *mesh.Mesh) error {
	center := m.Vertices[len(m.Vertices)/3]
	order := make([]int32, len(m.Vertices))
	for i := range order {
		order[i] = int32(i)
	}
	distance := func(v int32) float64 { return m.Vertices[v].Sub(center).Norm2() }
	slices.SortFunc(order, func(x, y int32) int { return cmp.Compare(distance(x), distance(y)) })
	for _, method := range []inpoly.Method{inpoly.Cells, inpoly.Auto} {
		for _, share := range []float64{1e-5, 1e-3, 0.01, 0.1, 0.3, 1} {
			if method == inpoly.Auto && share != 0.01 {
				continue
			}
			n := max(1, int(share*float64(len(order))))
			if err := b.refitRow(name, m, method, order[:n], center, share); err != nil {
				return err
			}
		}
	}
	return nil
}

// refitRow prints the row for one method and the given vertices.
func (b *bench) refitRow(name string, m *mesh.Mesh, method inpoly.Method, moved []int32, center r3.Vector, share float64) error {
	opt := inpoly.Options{Method: method, Workers: b.threads, ExpectedPoints: 100_000_000}
	radius := m.Vertices[moved[len(moved)-1]].Sub(center).Norm()
	bumped := slices.Clone(m.Vertices)
	toward := m.Box().Min.Add(m.Box().Max).Mul(0.5).Sub(center).Mul(0.02)
	for _, v := range moved {
		if d := m.Vertices[v].Sub(center).Norm(); radius > 0 {
			bumped[v] = m.Vertices[v].Add(toward.Mul(1 - 0.9*d/radius))
		} else {
			bumped[v] = m.Vertices[v].Add(toward.Mul(0.01))
		}
	}
	s, err := inpoly.New(b.ctx, m, opt)
	if err != nil {
		return err
	}
	if s, _, err = s.Refit(b.ctx, m.Vertices); err != nil { // the first call can change the method
		return err
	}
	var builds, refits []float64
	var last inpoly.Refitting
	different := 0
	for round := range 2 * b.reps {
		to := bumped
		if round%2 == 1 {
			to = m.Vertices
		}
		target, _, err := m.Moved(b.ctx, to, b.threads)
		if err != nil {
			return err
		}
		var fresh *inpoly.Solid
		t, err := cpu(func() (err error) {
			fresh, err = inpoly.New(b.ctx, target, opt)
			return err
		})
		if err != nil {
			return err
		}
		builds = append(builds, t)
		t, err = cpu(func() (err error) {
			s, last, err = s.Refit(b.ctx, to)
			return err
		})
		if err != nil {
			return err
		}
		refits = append(refits, t)
		if round < 2 {
			n, err := b.differences(s, fresh, bumped, moved)
			if err != nil {
				return err
			}
			different += n
		}
	}
	build, refit := median(builds), median(refits)
	fmt.Printf("| %s | %d | %s | %d | %g %% | %.3g | %.3g | %.3f | %d of %d | %s | %d |\n", name, m.NumFaces(), method, len(moved),
		100*share, build, refit, refit/build, last.Shared, last.Bricks, cmp.Or(string(last.Reason), "–"), different)
	return nil
}

// differences compares the sides of random points, and of points near the moved vertices.
func (b *bench) differences(s, t *inpoly.Solid, bumped []r3.Vector, moved []int32) (n int, err error) {
	const count = 100_000
	rng, box := newRand(1), t.Mesh().Box()
	size := box.Size()
	pts := make([]r3.Vector, count)
	for i := range pts {
		pts[i] = box.Min.Add(r3.Vector{X: rng.Float64() * size.X, Y: rng.Float64() * size.Y, Z: rng.Float64() * size.Z})
		if i%2 == 0 {
			d := r3.Vector{X: rng.Float64() - 0.5, Y: rng.Float64() - 0.5, Z: rng.Float64() - 0.5}
			pts[i] = bumped[moved[rng.IntN(len(moved))]].Add(d.Mul(0.01 * size.X))
		}
	}
	got, want := make([]inpoly.Side, count), make([]inpoly.Side, count)
	if err := cmp.Or(s.SidesTo(b.ctx, got, pts), t.SidesTo(b.ctx, want, pts)); err != nil {
		return 0, err
	}
	for i := range got {
		if got[i] != want[i] {
			n++
		}
	}
	return n, nil
}
