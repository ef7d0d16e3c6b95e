package mesh

import (
	"context"
	"math"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/frame"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/vec"
)

// unit is the unit roundoff, the largest relative rounding error of an operation.
const unit = 0x1p-53

// sums holds sums over the triangles of one component.
type sums struct {
	frame.Frame
	volume frame.Sum // 6 times the volume
	spread float64   // sum of the permanents: determinants with all products made positive
	area   frame.Sum // 2 times the area
}

// terms are the terms of a triangle in the sums of its component.
type terms struct{ volume, spread, area float64 }

// measureBlock is the largest number of faces whose terms a worker computes at a time. The terms of a block
// take 96 KB.
const measureBlock = 1 << 12 // tuning

// measure computes the area and the volume of each component and of the mesh. It also computes the
// shortest edge of the mesh. Several workers compute the terms of the sums in parallel. The workers
// add the terms one worker at a time, in the order of the faces, so the sums do not depend on the
// number of workers.
func (p *partition) measure(ctx context.Context, m *Mesh) error {
	all, err := p.componentSums(ctx, m)
	if err != nil {
		return err
	}
	workers, size := par.Workers(0), blockFor(len(m.Faces), 0, measureBlock)
	buffers, shortest := make([][]terms, workers), slices.Repeat([]float64{math.Inf(1)}, workers)
	compute := func(w, lo, hi int) {
		if buffers[w] == nil {
			buffers[w] = make([]terms, min(size, len(m.Faces)))
		}
		for from := lo; from < hi; { // the faces of a component
			l, to := p.run(m, from, hi)
			if l >= 0 {
				shortest[w] = min(shortest[w], all[l].compute(buffers[w][from-lo:to-lo], m, from))
			}
			from = to
		}
	}
	add := func(w, lo, hi int) {
		for from := lo; from < hi; {
			l, to := p.run(m, from, hi)
			if l >= 0 {
				all[l].add(buffers[w][from-lo : to-lo])
			}
			from = to
		}
	}
	if err := par.Ordered(ctx, len(m.Faces), size, workers, compute, add); err != nil {
		return err
	}
	p.shortest = slices.Min(shortest)
	return p.total(ctx, all, frame.New(m.box).Exponent)
}

// run returns the label of face from, and the end of the faces with this label, which is at most hi.
func (p *partition) run(m *Mesh, from, hi int) (label int32, to int) {
	labelOf := func(f int) int32 {
		switch {
		case p.labels != nil:
			return p.labels[f]
		case p.collapsed > 0 && collapsed(m.Faces[f]):
			return -1
		}
		return 0
	}
	label = labelOf(from)
	if p.labels == nil && p.collapsed == 0 {
		return label, hi
	}
	for to = from + 1; to < hi && labelOf(to) == label; {
		to++
	}
	return label, to
}

// total stores the measures of each component and adds them up to the measures of the mesh. It adds
// in the frame of the mesh, where sums do not overflow. The scale of this frame is 2^−exponent.
func (p *partition) total(ctx context.Context, all []sums, exponent int) error {
	var area, volume frame.Sum
	bound, spread, n := 0.0, 0.0, float64(len(all))
	for i := range all {
		if i%blockSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g, c := &all[i], &p.components[i]
		v, e := g.result(c.Faces)
		if math.Abs(v) > e {
			c.VolumeSign = int8(math.Copysign(1, v))
		}
		c.Volume, c.VolumeError = math.Ldexp(v, 3*g.Exponent), math.Ldexp(e, 3*g.Exponent)
		c.Area = math.Ldexp(g.area.Value()/2, 2*g.Exponent)
		up := g.Exponent - exponent
		area.Add(math.Ldexp(g.area.Value()/2, 2*up))
		volume.Add(math.Ldexp(v, 3*up))
		bound += math.Ldexp(e, 3*up)
		spread += math.Abs(math.Ldexp(v, 3*up))
	}
	if n == 0 {
		p.shortest = 0
	}
	// The compensated sum s has an error of at most (nu)²·spread + u|s|, where u = 2⁻⁵³ and n is
	// the number of terms. Plain sums such as spread are too small by at most the factor 1−nu. The
	// factor 1+2⁻²⁰ covers this.
	s := volume.Value()
	bound = (bound + n*unit*n*unit*spread + unit*math.Abs(s)) * (1 + 0x1p-20)
	p.area = math.Ldexp(area.Value(), 2*exponent)
	p.volume, p.volumeError = math.Ldexp(s, 3*exponent), math.Ldexp(bound, 3*exponent)
	return nil
}

// componentSums returns empty sums for each component. If a component is closed, its frame has the
// origin in the middle of its bounding box. If it is open, its frame has the scale of the mesh, and
// the origin is the mean of all vertices.
func (p *partition) componentSums(ctx context.Context, m *Mesh) ([]sums, error) {
	whole := frame.New(m.box).At(frame.Center(m.box))
	if slices.ContainsFunc(p.components, func(c Component) bool { return !c.Closed }) {
		mean := r3.Vector{}
		err := inOrder(ctx, len(m.Vertices), func(lo, hi int) {
			sum := mean
			for v := lo; v < hi; v++ {
				if p.ofVertex == nil || p.ofVertex[v] >= 0 {
					sum = sum.Add(whole.Local(m.Vertices[v]))
				}
			}
			mean = sum
		})
		if err != nil {
			return nil, err
		}
		mean = mean.Mul(1 / float64(max(1, p.vertices)))
		whole = whole.At(whole.Origin().Add(r3.Vector{
			X: math.Ldexp(mean.X, whole.Exponent),
			Y: math.Ldexp(mean.Y, whole.Exponent),
			Z: math.Ldexp(mean.Z, whole.Exponent),
		}))
	}
	all := make([]sums, len(p.components))
	return all, inOrder(ctx, len(all), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			all[i] = sums{Frame: whole}
			if c := &p.components[i]; c.Closed {
				all[i].Frame = frame.New(c.Box).At(frame.Center(c.Box))
			}
		}
	})
}

// compute sets dst[i] to the terms of face first+i. It returns the length of the shortest edge of
// these faces. The share of a triangle (a, b, c) in the volume is a sixth of det(a−o, b−o, c−o),
// where o is the origin. The determinant is computed as (a−o)·((b−a)×(c−a)), which avoids
// cancellation if the triangle is small and far from o.
func (g *sums) compute(dst []terms, m *Mesh, first int) (shortest float64) {
	// The square root is monotonic, so it is computed only for the smallest square.
	square, shortest := math.Inf(1), math.Inf(1)
	local := g.Frame
	for i := range dst {
		t := m.Faces[first+i]
		p, q, r := m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]]
		a, u, v, w := local.Local(p), local.Difference(q, p), local.Difference(r, p), local.Difference(r, q)
		yz, zy := float64(u.Y*v.Z), float64(u.Z*v.Y)
		zx, xz := float64(u.Z*v.X), float64(u.X*v.Z)
		xy, yx := float64(u.X*v.Y), float64(u.Y*v.X)
		n := r3.Vector{X: yz - zy, Y: zx - xz, Z: xy - yx}
		dst[i] = terms{
			volume: float64(a.X*n.X) + float64(a.Y*n.Y) + float64(a.Z*n.Z),
			spread: float64(math.Abs(a.X)*(math.Abs(yz)+math.Abs(zy))) +
				float64(math.Abs(a.Y)*(math.Abs(zx)+math.Abs(xz))) +
				float64(math.Abs(a.Z)*(math.Abs(xy)+math.Abs(yx))),
			area: length(n),
		}
		if uu, vv, ww := u.Norm2(), v.Norm2(), w.Norm2(); min(uu, vv, ww) > smallSquare && max(uu, vv, ww) < largeSquare {
			square = min(square, uu, vv, ww)
		} else {
			shortest = min(shortest, length(u), length(v), length(w))
		}
	}
	return math.Ldexp(min(shortest, math.Sqrt(square)), local.Exponent)
}

// add adds terms in their order.
func (g *sums) add(list []terms) {
	volume, spread, area := g.volume, g.spread, g.area
	for i := range list {
		volume.Add(list[i].volume)
		spread += list[i].spread
		area.Add(list[i].area)
	}
	g.volume, g.spread, g.area = volume, spread, area
}

// The square of a length between these bounds has neither overflowed nor underflowed.
const smallSquare, largeSquare = 0x1p-900, 0x1p900

// length returns the Euclidean norm of v. It calls vec.Norm if the square could overflow or
// underflow.
func length(v r3.Vector) float64 {
	if s := v.Norm2(); s > smallSquare && s < largeSquare {
		return math.Sqrt(s)
	}
	return vec.Norm(v)
}

// result returns the volume of n triangles in the frame, and an upper bound of its error. With u =
// 2⁻⁵³, the bound covers these errors:
//
//   - Each coordinate of the three rows of a determinant is rounded once. The determinant takes two
//     products, a difference and two sums. The error is at most (3+2+1+2)u times the permanent,
//     plus terms in u². The bound 9u covers these terms and the rounding of the permanents.
//   - The plain sum of the permanents is too small by at most the factor 1−nu, where n < 2³⁰. The
//     factor 1+2⁻²⁰ compensates for this.
//   - Compensated summation adds u|S| + (nu)²Σ|x| (see frame.Sum). The division by 6 adds u|S|/6.
//   - At most 12 products underflow. The error of each is below 4·2⁻¹⁰⁷³. If scaling a coordinate
//     underflows, the result changes by less than 2⁻¹⁰⁷³ times a permanent of the other two rows.
//     Such a permanent is below 32.
func (g *sums) result(n int32) (volume, bound float64) {
	s := g.volume.Value()
	k := float64(n)
	bound = g.spread*(1+0x1p-20)*(9*unit+k*unit*k*unit) + 2*unit*math.Abs(s) + k*0x1p-1060
	return s / 6, bound / 6
}
