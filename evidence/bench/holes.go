package main

import (
	"fmt"
	"path/filepath"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/side"
)

// holesTable measures the sides of random points in the box of a sphere with missing faces. It
// compares the method that Auto selects with rays and with Embree. Embree finds no winding numbers of
// open meshes, so only its time is comparable.
func (b *bench) holesTable() error {
	header("missing faces", "boundary edges", "points", "<method", "build ms", "M points/s", "CPU ns/point", "M points/s with build",
		"raycross M points/s", "method / raycross", "Embree M points/s", "<mode", "ours / Embree", "with build")
	sphere := testmesh.Sphere(7)
	for _, missing := range []int{0, 13, 19, 132, 1345, 13107} {
		if b.quick && missing > 13 {
			break
		}
		m, err := b.withoutFaces(sphere, missing)
		if err != nil {
			return err
		}
		stl := filepath.Join(b.tmp, "holes.stl")
		if err := writeSTL(stl, m); err != nil {
			return err
		}
		for _, n := range []int{1_000_000, 10_000_000} {
			if b.quick {
				n = 1000
			}
			if err := b.holesRow(stl, m, missing, min(n, b.most)); err != nil {
				return fmt.Errorf("%d faces missing: %w", missing, err)
			}
			if b.quick || n >= b.most {
				break
			}
		}
	}
	return nil
}

// withoutFaces returns m without the given number of random faces.
func (b *bench) withoutFaces(m *mesh.Mesh, missing int) (*mesh.Mesh, error) {
	out := make(map[int]bool, missing)
	for _, f := range newRand(1).Perm(m.NumFaces())[:missing] {
		out[f] = true
	}
	soup := mesh.Soup{Vertices: m.Vertices}
	for f, v := range m.Faces {
		if !out[f] {
			soup.Faces = append(soup.Faces, v)
		}
	}
	return mesh.New(b.ctx, soup, mesh.Options{Workers: b.threads})
}

func (b *bench) holesRow(stl string, m *mesh.Mesh, missing, n int) error {
	r, err := b.corpusRow("", stl, m, n, embreeModes)
	if err != nil {
		return err
	}
	pts := inBox(m, min(n, 20_000)) // more points do not change the rate of rays
	sides := make([]side.Side, len(pts))
	s, err := inpoly.New(b.ctx, m, inpoly.Options{Method: inpoly.RayCrossing, Workers: b.threads})
	if err != nil {
		return err
	}
	t, err := b.call(nothing, func() error { return s.SidesTo(b.ctx, sides, pts) })
	if err != nil {
		return err
	}
	rate, rays := perSecond(n, r.query), perSecond(len(pts), t)
	fmt.Printf("| %d | %d | %d | %s | %.3g | %.3g | %.3g | %.3g | %.3g | %.1f | %.3g | %s | %.2f | %.2f |\n",
		missing, r.edges, n, r.method, 1e3*r.build, rate, 1e9*r.cpu/float64(n), perSecond(n, r.build+r.first),
		rays, rate/rays, r.embree.MQPS, r.mode, r.ratio(false), r.ratio(true))
	return nil
}
