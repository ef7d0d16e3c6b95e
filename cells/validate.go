package cells

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/golang/geo/r3"
)

// Validate checks the index against the mesh by brute force: for tests. Every
// face has to be listed wherever it meets a cell, each line to belong to one
// cell; neighbouring empty cells have the same winding number, which outside of
// the grid is 0, and rays from some of them confirm it, as from references; the
// bits of references and the certain signs of planes are those of exact
// predicates; labels, top and Shape tell the same. It returns what is violated
// first, with its place; the error of Rays; or that of ctx, if that ends. It takes
// milliseconds for each thousand triangles.
func (x *Index) Validate(ctx context.Context) error {
	return x.validate(ctx, effort{lists: 500, rays: 50})
}

// effort says how much is checked of what takes long, drawn evenly: lists with
// exact predicates, and cells by rays.
type effort struct{ lists, rays int }

func (x *Index) validate(ctx context.Context, e effort) error {
	switch box := x.mesh.Box(); {
	case box.Empty() || x.gone:
		if len(x.top) > 0 || x.shape != (Shape{}) {
			return fmt.Errorf("a grid of %d bricks although there are no faces or all is handed over", len(x.top))
		}
		return nil
	case len(x.top) != int(x.dims[0])*int(x.dims[1])*int(x.dims[2]):
		return fmt.Errorf("%d bricks in the top, want %v", len(x.top), x.dims)
	}
	v := &validator{
		x: x, ctx: ctx, effort: e,
		random: rand.New(rand.NewPCG(1, uint64(x.mesh.NumFaces()))),
		seen:   map[uint32]bool{},
		lists:  map[uint32][]int32{},
	}
	for _, check := range []func() error{v.bricks, v.shapes, v.neighbours, v.faces, v.signs, v.windings} {
		if err := check(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// validator is the working memory of Validate.
type validator struct {
	effort
	x      *Index
	ctx    context.Context
	random *rand.Rand
	seen   map[uint32]bool    // lines that belong to a cell
	lists  map[uint32][]int32 // faces of crossed leaves by their first line; nil for those handed over
	leaves []located          // crossed leaves that are not handed over
	empty  []emptyLeaf
	shape  Shape // as counted
}

// emptyLeaf is a cell that no face meets, and its W.
type emptyLeaf struct {
	place
	w int32
}

func (p place) String() string { return fmt.Sprintf("cell %v of level %d", p.at, p.level) }

// bricks looks at every brick, word and line from the top down.
func (v *validator) bricks() error {
	x := v.x
	if len(x.words) != brickSide*len(x.w) || len(x.base) != brickSide*len(x.gridOf) || len(x.w) < len(x.gridOf) {
		return fmt.Errorf("%d words and %d bases for %d bricks, %d of them crossed", len(x.words), len(x.base), len(x.w), len(x.gridOf))
	}
	found := 0
	for b, e := range x.top {
		n := int(e >> 3)
		if n >= len(x.w) {
			return fmt.Errorf("brick %v: number %d of %d", x.brickAt(int32(b)), n, len(x.w))
		}
		for value, w := range x.w[n] {
			if got := e>>value&1 == 1; got != x.inside(w) {
				return fmt.Errorf("brick %v: inside is %v for W = %d", x.brickAt(int32(b)), got, w)
			}
		}
		if n < len(x.gridOf) {
			if found++; x.gridOf[n] != int32(b) {
				return fmt.Errorf("brick %v: number %d is that of brick %v", x.brickAt(int32(b)), n, x.brickAt(x.gridOf[n]))
			}
		} else if x.w[n][0] != x.w[n][1] {
			return fmt.Errorf("brick %v: two winding numbers %v in a brick without faces", x.brickAt(int32(b)), x.w[n])
		}
		if err := v.brick(int32(b), n); err != nil {
			return err
		}
	}
	if found != len(x.gridOf) {
		return fmt.Errorf("%d crossed bricks in the top, want %d", found, len(x.gridOf))
	}
	return nil
}

// brick looks at brick b of the grid, which has number n.
func (v *validator) brick(b int32, n int) error {
	x := v.x
	lo := x.brickAt(b)
	for a := range lo {
		lo[a] *= brickSide
	}
	words := x.words[n*brickSide:][:brickSide]
	if n >= len(x.gridOf) {
		for _, w := range words {
			if w != (word{}) {
				return fmt.Errorf("%v: crossed cells or values in a brick without faces", place{0, lo})
			}
		}
		c := cellOf(lo, v.random.Int32N(brickSide*brickSide*brickSide), brickBits)
		if x.top[b]&needsRays == 0 {
			v.empty = append(v.empty, emptyLeaf{place{0, c}, x.w[n][0]})
		}
		return nil
	}
	crossed := 0
	for z, w := range words {
		if w.crossed&w.value != 0 {
			return fmt.Errorf("%v: layer %d: crossed cells have values", place{0, lo}, z)
		}
		id := x.base[n*brickSide+z]
		for bit := range int32(64) {
			at := place{0, [3]int32{lo[0] + bit%brickSide, lo[1] + bit/brickSide, lo[2] + int32(z)}}
			if w.crossed>>bit&1 == 0 {
				v.empty = append(v.empty, emptyLeaf{at, x.w[n][w.value>>bit&1]})
				continue
			}
			crossed++
			if err := v.cell(id, at); err != nil {
				return err
			}
			id++
		}
	}
	if crossed > 0 {
		v.shape.Bricks++
	}
	return nil
}

// take says that line id belongs to p.
func (v *validator) take(id uint32, p place) error {
	x := v.x
	if int(id>>chunkBits) >= len(x.chunks) || int(id&(chunkSize-1)) >= len(x.chunks[id>>chunkBits].lines) ||
		len(x.chunks[id>>chunkBits].faces) != len(x.chunks[id>>chunkBits].lines) {
		return fmt.Errorf("%v: there is no line %d", p, id)
	}
	if v.seen[id] {
		return fmt.Errorf("%v: line %d is used twice", p, id)
	}
	v.seen[id] = true
	return nil
}

// cell looks at the cell at p, which has line id, and at its children.
func (v *validator) cell(id uint32, p place) error {
	if err := v.take(id, p); err != nil {
		return err
	}
	l := v.x.line(id)
	switch l.kind() {
	case constant:
		v.empty = append(v.empty, emptyLeaf{p, int32(int64(l[1]))})
	case handed:
		v.shape.Handed++
		v.lists[id] = nil
	case refined:
		return v.children(l.child(), p)
	case whole, more:
		return v.list(id, p)
	default:
		return fmt.Errorf("%v: line %d has kind %d", p, id, l.kind())
	}
	return nil
}

// children looks at the children c of the cell at p.
func (v *validator) children(c child, p place) error {
	if p.level >= v.x.deep {
		return fmt.Errorf("%v: refined, the deepest level is %d", p, v.x.deep)
	}
	if c.crossed&c.value != 0 {
		return fmt.Errorf("%v: crossed children have values", p)
	}
	v.shape.Depth = max(v.shape.Depth, p.level+1)
	lo := [3]int32{p.at[0] << childBits, p.at[1] << childBits, p.at[2] << childBits}
	id := c.base
	for i := range int32(64) {
		at := place{p.level + 1, cellOf(lo, i, childBits)}
		if c.crossed>>i&1 == 0 {
			v.empty = append(v.empty, emptyLeaf{at, c.w[c.value>>i&1]})
			continue
		}
		if err := v.cell(id, at); err != nil {
			return err
		}
		id++
	}
	return nil
}

// shapes compares what was counted with Shape.
func (v *validator) shapes() error {
	x := v.x
	v.shape.Crossed = len(v.leaves)
	for _, list := range v.lists {
		v.shape.Entries += len(list)
	}
	v.shape.Cell, v.shape.Fans, v.shape.Bytes = x.cell, len(x.fans), x.bytes()
	if v.shape != x.shape {
		return fmt.Errorf("shape is %+v, want %+v as counted", x.shape, v.shape)
	}
	if (x.veil != nil) != (len(x.fans) > 0) || x.mesh.Closed() && x.veil != nil || x.parity && (x.mesh.Closed() || x.veil != nil) {
		return fmt.Errorf("%d fans, bounds of them %v, parity %v; mesh closed %v", len(x.fans), x.veil != nil, x.parity, x.mesh.Closed())
	}
	return nil
}

// pointIn returns a random point of the cell at p, rounded.
func (v *validator) pointIn(p place) r3.Vector {
	lo, hi := v.x.corner(p, 0), v.x.corner(p, 7)
	f := func(lo, hi float64) float64 { return min(lo+float64((hi-lo)*v.random.Float64()), hi) }
	return r3.Vector{X: f(lo.X, hi.X), Y: f(lo.Y, hi.Y), Z: f(lo.Z, hi.Z)}
}
