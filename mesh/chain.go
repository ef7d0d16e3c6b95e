package mesh

import "context"

// edgeTally counts the undirected edges of a mesh by the half-edges on them;
// faces that lost a corner to welding have none.
type edgeTally struct {
	total       int // undirected edges
	open        int // edges of exactly one face
	nonManifold int // edges of three or more faces
	unbalanced  int // edges of three or more faces whose directions do not cancel
	misoriented int // edges of two faces that run the same way
	odd         int // edges of an odd number of faces
}

// add counts o as well.
func (t *edgeTally) add(o edgeTally) {
	t.total += o.total
	t.open += o.open
	t.nonManifold += o.nonManifold
	t.unbalanced += o.unbalanced
	t.misoriented += o.misoriented
	t.odd += o.odd
}

// tallyEdges returns the boundary chain of the faces, sorted by (A, B), and the
// counts of their edges.
func tallyEdges(ctx context.Context, faces [][3]int32, vertices, workers int) ([]Edge, edgeTally, error) {
	type part struct {
		chain []Edge
		tally edgeTally
	}
	parts, err := sweepEdges(ctx, faces, vertices, workers, func(p *part, edge []halfEdge) {
		net := int32(0)
		for _, h := range edge {
			net += 1 - 2*int32(h.ref&1)
		}
		p.tally.total++
		p.tally.odd += len(edge) & 1
		if net != 0 {
			p.chain = append(p.chain, Edge{A: edge[0].lo, B: edge[0].hi, Mult: net})
		}
		switch {
		case len(edge) == 1:
			p.tally.open++
		case len(edge) > 2:
			p.tally.nonManifold++
			if net != 0 {
				p.tally.unbalanced++
			}
		case net != 0:
			p.tally.misoriented++
		}
	})
	if err != nil {
		return nil, edgeTally{}, err
	}
	var tally edgeTally
	n := 0
	for _, p := range parts {
		n += len(p.chain)
		tally.add(p.tally)
	}
	chain := make([]Edge, 0, n)
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, edgeTally{}, err
		}
		chain = append(chain, p.chain...)
	}
	return chain, tally, nil
}
