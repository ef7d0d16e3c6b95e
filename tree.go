package inpoly

import (
	"context"
	"fmt"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/nearest"
	"github.com/inpoly/inpoly/raycross"
)

// maxCoordinate is the largest |coordinate| of a mesh that every method accepts;
// see package raycross.
const maxCoordinate = 0x1p1000

// tree is the bounding volume hierarchy of a Solid and what searches it. Methods
// that can do without have it built when it is first needed.
type tree struct {
	caster *raycross.Caster
	near   *nearest.Searcher
}

// newTree builds the tree of s.
func (s *Solid) newTree(ctx context.Context) (*tree, error) { return newTree(ctx, s.mesh, &s.opt) }

// newTree builds the tree of m. It fails only with the error of ctx: build has
// checked the coordinates.
func newTree(ctx context.Context, m *mesh.Mesh, opt *Options) (*tree, error) {
	x, err := m.Index(ctx, bvh.Options{Workers: opt.Workers})
	if err != nil {
		return nil, err
	}
	caster, err := raycross.New(x, raycross.Options{Rule: opt.Rule, Seed: opt.Seed})
	if err != nil {
		return nil, err
	}
	return &tree{caster: caster, near: nearest.New(x)}, nil
}

// searched returns the tree, and builds it if need be, for queries that cannot
// be interrupted or that have called needTree. The others call tree.get.
func (s *Solid) searched() *tree {
	t, err := s.tree.get(context.Background())
	if err != nil {
		panic("inpoly: " + err.Error()) // cannot happen: this context does not end
	}
	return t
}

// needTree builds the tree, unless it is there, before the queries of a batch.
func (s *Solid) needTree(ctx context.Context) error {
	_, err := s.tree.get(ctx)
	return err
}

// rays is cells.Options.Rays.
func (s *Solid) rays(ctx context.Context) (*raycross.Caster, error) {
	t, err := s.tree.get(ctx)
	if err != nil {
		return nil, err
	}
	return t.caster, nil
}

// checkCoordinates refuses what the methods cannot compute with, whichever of
// them is built now or later.
func checkCoordinates(box bvh.Box) error {
	if box.Empty() {
		return nil
	}
	low, high := box.Min.Abs(), box.Max.Abs()
	if largest := max(low.X, low.Y, low.Z, high.X, high.Y, high.Z); largest > maxCoordinate {
		return fmt.Errorf("coordinate %g exceeds %g: scale the mesh down", largest, maxCoordinate)
	}
	return nil
}
