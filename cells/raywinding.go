package cells

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
)

// rayW finds the integer winding number of mesh and fans at single points.
type rayW struct {
	x       *Index
	caster  *raycross.Caster
	fans    *bem.Direct // nil: there are none
	scratch raycross.Scratch
}

func (x *Index) newRayW(ctx context.Context) (*rayW, error) {
	c, err := x.rays(ctx)
	if err != nil {
		return nil, err
	}
	r := &rayW{x: x, caster: c}
	r.scratch.Done = ctx.Done()
	if len(x.fans) > 0 {
		soup := mesh.Soup{}
		for i, t := range x.fans {
			soup.Vertices = append(soup.Vertices, t[:]...)
			soup.Faces = append(soup.Faces, [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)})
		}
		m, err := mesh.NewContext(ctx, soup, mesh.Options{})
		if err != nil {
			return nil, err
		}
		r.fans = bem.NewDirect(m, 1)
	}
	return r, nil
}

// at returns the winding number of p, or unknown.
func (r *rayW) at(p r3.Vector) int32 {
	if r.fans == nil {
		n := r.caster.Count(p, &r.scratch)
		switch {
		case n.OnSurface:
			return unknown
		case r.x.parity:
			return int32(n.Crossings & 1)
		case n.Signed != int64(int32(n.Signed)):
			return unknown
		}
		return int32(n.Signed)
	}
	w, bound := r.caster.Winding(p, &r.scratch)
	fan, off, on := r.fans.Winding(p)
	k := math.RoundToEven(w + fan)
	if on || !(math.Abs(w+fan-k)+bound+off < 0.5) || math.Abs(k) > 1<<30 {
		return unknown
	}
	return int32(k)
}
