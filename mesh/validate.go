package mesh

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/vec"
)

// Validate checks the invariants of m and returns an error for the first violation. Indices must be
// in range. Vertices must be finite, in range and pairwise different. Each vertex must belong to a
// face. Bodies and polygons must be ranges of the faces. The box, the boundary chain, the edge counts and the
// faces of zero area must equal recomputed values. A mesh from New has no violation, unless a
// caller has modified its slices. Validate takes about a microsecond for each face.
func (m *Mesh) Validate() error {
	ctx := context.Background()
	used, err := markUsed(ctx, m.Faces, len(m.Vertices))
	if err != nil {
		return err
	}
	if err := cmp.Or(checkBodies(m.Bodies, len(m.Faces)), checkPolygons(m.polygons, len(m.Faces))); err != nil {
		return err
	}
	numbers := make(map[r3.Vector]int, len(m.Vertices))
	for i, p := range m.Vertices {
		if !(vec.MaxAbs(p) <= MaxCoordinate) {
			return coordinateError(i, p)
		}
		if !used[i] {
			return fmt.Errorf("vertex %d belongs to no face", i)
		}
		if j, ok := numbers[p]; ok {
			return fmt.Errorf("vertices %d and %d have the same coordinates", j, i)
		}
		numbers[p] = i
	}
	if got, err := boxOf(ctx, m.Vertices, 0); err != nil || got != m.box {
		return fmt.Errorf("box is %v, must be %v", m.box, got)
	}
	return cmp.Or(m.validateEdges(), m.validateDegenerate())
}

// validateEdges counts all edges again with a map and compares the counts with the fields of m.
func (m *Mesh) validateEdges() error {
	type key struct{ lo, hi int32 }
	type count struct{ faces, net int32 }
	type inPolygon struct {
		edge    key
		polygon int32
	}
	each := func(visit func(f int32, e key, sign int32)) {
		for f, t := range m.Faces {
			if collapsed(t) {
				continue
			}
			for k := range 3 {
				if a, b := t[k], t[(k+1)%3]; a < b {
					visit(int32(f), key{a, b}, 1)
				} else {
					visit(int32(f), key{b, a}, -1)
				}
			}
		}
	}
	edges := make(map[key]count, 3*len(m.Faces)/2)
	each(func(_ int32, e key, sign int32) {
		c := edges[e]
		edges[e] = count{c.faces + 1, c.net + sign}
	})
	// Two half-edges of one polygon that cancel are a diagonal, unless the edge has no other
	// half-edges.
	diagonals := map[key]int32{}
	if len(m.polygons) > 0 {
		nets := map[inPolygon]count{}
		each(func(f int32, e key, sign int32) {
			if p := m.polygonOf(f); p >= 0 && edges[e].faces > 2 {
				c := nets[inPolygon{e, p}]
				nets[inPolygon{e, p}] = count{c.faces + 1, c.net + sign}
			}
		})
		for of, c := range nets {
			diagonals[of.edge] += (c.faces - max(c.net, -c.net)) / 2
		}
	}
	var tally edgeTally
	open := 0
	for e, c := range edges {
		n := diagonals[e]
		tally.total += int(n)
		if rest := c.faces - 2*n; rest > 0 {
			tally.count(int(rest), c.net)
		}
		if c.net != 0 {
			open++
		}
	}
	if counted, _ := m.edgeFacts(); tally != counted {
		return fmt.Errorf("edge counts are %+v, must be %+v", counted, tally)
	}
	if len(m.boundary) != open {
		return fmt.Errorf("boundary chain has %d edges, must have %d", len(m.boundary), open)
	}
	for i, e := range m.boundary {
		if i > 0 && (e.A < m.boundary[i-1].A || e.A == m.boundary[i-1].A && e.B <= m.boundary[i-1].B) {
			return fmt.Errorf("boundary edge %d (%d, %d) is out of order", i, e.A, e.B)
		}
		if net := edges[key{e.A, e.B}].net; e.Mult == 0 || e.Mult != net {
			return fmt.Errorf("boundary edge (%d, %d) has multiplicity %d, must have %d", e.A, e.B, e.Mult, net)
		}
	}
	return nil
}

// validateDegenerate applies the exact predicate to every face and compares the result with
// m.degenerate.
func (m *Mesh) validateDegenerate() error {
	var want []int32
	for f := range m.Faces {
		if t := m.Triangle(int32(f)); predicates.ZeroArea(t[0], t[1], t[2]) {
			want = append(want, int32(f))
		}
	}
	if !slices.Equal(m.degenerate, want) {
		return fmt.Errorf("faces of zero area are %v, must be %v", m.degenerate, want)
	}
	return nil
}
