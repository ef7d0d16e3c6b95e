package locate

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// precise is a Locator that computes a winding number of another Locator again if its bound exceeds
// epsilon. The second computation has the precision that epsilon needs. CheckEpsilon must accept
// epsilon.
type precise struct {
	Locator
	surface *Surface
	epsilon float64
}

func (l *precise) Winding(p r3.Vector) (w, bound float64) {
	w, bound = l.Locator.Winding(p)
	if bound <= l.epsilon || !vec.Finite(p) {
		return w, bound
	}
	var s raycross.Scratch
	return Nearest(l.surface.MustIndex().Rays.PreciseWinding(p, l.epsilon*PreciseShare, &s))
}

func (l *precise) LocateTo(ctx context.Context, dst side.Answers, pts []r3.Vector, workers int) (side.Stats, error) {
	stats, err := l.Locator.LocateTo(ctx, dst, pts, workers)
	if err != nil || dst.Winding == nil {
		return stats, err
	}
	var again pending
	for i, p := range pts {
		if !(dst.Bound[i] <= l.epsilon) && vec.Finite(p) {
			dst.Winding[i], dst.Bound[i] = math.NaN(), math.Inf(1)
			again.add(i, p)
		}
	}
	if len(again.pts) == 0 {
		return stats, nil
	}
	caster, err := l.surface.Rays(ctx)
	if err != nil {
		return stats, err
	}
	out := side.Answers{Winding: make([]float64, len(again.pts)), Bound: make([]float64, len(again.pts))}
	out.Clear()
	_, err = windingsTo(ctx, out, again.pts, workers, func(s *raycross.Scratch) { s.Done = ctx.Done() },
		func(p r3.Vector, s *raycross.Scratch) (w, bound float64) {
			return Nearest(caster.PreciseWinding(p, l.epsilon*PreciseShare, s))
		})
	for k, i := range again.index {
		dst.Winding[i], dst.Bound[i] = out.Winding[k], out.Bound[k]
	}
	return stats, err
}

// PreciseShare is the share of epsilon that the error of a winding number can use before it is
// rounded to float64. CheckEpsilon leaves this share.
const PreciseShare = 0x1p-21

// Nearest returns the float64 nearest to w, and the bound of its error. The bound of w is given. If
// w is nil, Nearest returns NaN and +Inf.
func Nearest(w, bound *big.Float) (nearest, total float64) {
	if w == nil {
		return math.NaN(), math.Inf(1)
	}
	nearest, _ = w.Float64()
	off := new(big.Float).SetFloat64(nearest)
	off.Sub(w, off).Abs(off)
	off.SetMode(big.ToPositiveInf).Add(off, bound)
	total, accuracy := off.Float64()
	if accuracy == big.Below {
		total = math.Nextafter(total, math.Inf(1))
	}
	return nearest + 0, total // adding 0 turns −0 into 0
}

// CheckEpsilon returns an error that wraps fmm.ErrEpsilon if some point can have a winding number
// whose float64 is not within epsilon. It regards the meshes as one mesh. An epsilon of 0 means that
// no error is requested. The cost is O(N) for N faces.
func CheckEpsilon(epsilon float64, meshes ...*mesh.Mesh) error {
	if epsilon == 0 {
		return nil
	}
	if least := 0x1p-53 * (1 + 0x1p-20) * max(1, largestWinding(meshes)); !(epsilon >= least) {
		return fmt.Errorf("%w: %.2g; the smallest value that can be reached is about %.2g", fmm.ErrEpsilon, epsilon, least*1.01)
	}
	return nil
}

// largestWinding returns an upper bound of |W| for all points. There are two bounds:
//
//   - A face contributes at most 1/2.
//   - Project the faces along an axis. Let k be the largest number of faces above or below a point,
//     counted by boxes on a grid. If a point lies on no face, W is the sum over a ray along the axis,
//     at most k, and of at most 1/2 for each boundary edge (package bem). If the point lies on
//     faces, there are at most k of them, and each of them changes W by at most 1/2.
func largestWinding(meshes []*mesh.Mesh) float64 {
	faces, edges := 0, 0.0
	for _, m := range meshes {
		faces += m.NumFaces()
		for _, e := range m.Boundary() {
			edges += math.Abs(float64(e.Mult))
		}
	}
	least := float64(faces) / 2
	for axis := range 3 {
		least = min(least, 1.5*float64(deepest(meshes, faces, axis))+edges/2)
	}
	return least
}

// deepest returns k of largestWinding for an axis. The grid has about one square for each face, and
// at most 2^20 squares (tuning).
func deepest(meshes []*mesh.Mesh, faces, axis int) (most int32) {
	flat := func(v r3.Vector) [2]float64 {
		return [...][2]float64{{v.Y, v.Z}, {v.Z, v.X}, {v.X, v.Y}}[axis]
	}
	box := bvh.EmptyBox()
	for _, m := range meshes {
		box = box.Union(m.Box())
	}
	low, size, side := flat(box.Min), flat(box.Size()), 1+min(1<<10, int(math.Sqrt(float64(faces))))
	// Rounding is monotone, so the square of a point in the box of a face is in the range of the face.
	at := func(x float64, k int) int {
		if !(size[k] > 0) {
			return 0
		}
		return min(side-1, int((x-low[k])/size[k]*float64(side)))
	}
	count := make([]int32, (side+1)*(side+1))
	for _, m := range meshes {
		for f := range m.NumFaces() {
			t := m.Triangle(int32(f))
			a, b, c := flat(t[0]), flat(t[1]), flat(t[2])
			var lo, hi [2]int
			for k := range lo {
				lo[k], hi[k] = at(min(a[k], b[k], c[k]), k), at(max(a[k], b[k], c[k]), k)+1
			}
			count[lo[1]*(side+1)+lo[0]]++
			count[lo[1]*(side+1)+hi[0]]--
			count[hi[1]*(side+1)+lo[0]]--
			count[hi[1]*(side+1)+hi[0]]++
		}
	}
	// Sums along both axes turn the corners of the ranges into the number of ranges at each square. The
	// sum of a whole row is 0.
	for i := range count {
		if i > 0 {
			count[i] += count[i-1]
		}
	}
	for i := range count {
		if i > side {
			count[i] += count[i-side-1]
		}
		most = max(most, count[i])
	}
	return most
}
