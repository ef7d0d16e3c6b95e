package cells

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/build"
	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// neighbors checks that empty cells with a common face have the same winding number. Empty cells at
// the border of the grid must have winding number 0. The labels of open cells and of other cells
// differ in meaning, so they are not compared with each other.
func (v *validator) neighbors() error {
	for _, c := range v.empty {
		for axis := range 3 {
			for _, step := range [2]int32{-1, 1} {
				to := c.CellAddr
				to.At[axis] += step
				if v.Parity && c.w&^1 != 0 {
					return fmt.Errorf("cell %+v: W = %d is not a parity", c.CellAddr, c.w)
				}
				if to.At[axis] < 0 || to.At[axis]>>(layout.ChildBits*to.Level) >= v.Dims[axis]*layout.BrickSide {
					if !v.same(c.w, 0) && (len(v.Caps) == 0 || v.isOpen(c.CellAddr)) {
						return fmt.Errorf("cell %+v: W = %d at the border of the grid, want 0", c.CellAddr, c.w)
					}
					continue
				}
				if r := v.regionOf(to); r.empty && !v.same(r.w, c.w) && v.isOpen(to) == v.isOpen(c.CellAddr) {
					return fmt.Errorf("cell %+v: W = %d, beside W = %d in direction %d of axis %d", c.CellAddr, c.w, r.w, step, axis)
				}
			}
		}
	}
	return nil
}

// stride returns the step with which a check visits at most maxVisits of n cells.
func stride(n, maxVisits int) int { return max(1, (n+maxVisits-1)/maxVisits) }

// signs compares the bits of references, and the signs of planes of leaves, with exact predicates.
func (v *validator) signs() error {
	for i := 0; i < len(v.leaves); i += stride(len(v.leaves), v.effort.lists) {
		if i%64 == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		if err := v.referenceSigns(v.leaves[i]); err != nil {
			return err
		}
		if err := v.planeSigns(v.leaves[i]); err != nil {
			return err
		}
		if err := v.table(v.leaves[i]); err != nil {
			return err
		}
	}
	return nil
}

// table compares the table of a leaf with the crossings of segments to a reference.
func (v *validator) table(leaf layout.Leaf) error {
	r := v.Record(leaf.Record)
	for i := range 2 {
		_, _, w := r.Reference(i)
		if inside := r[0]>>(15+8*i)&1 == 1; inside != (v.Side(w) == side.Inside) {
			return fmt.Errorf("cell %+v: reference %d: inside is %v for W = %d", leaf.CellAddr, i, inside, w)
		}
	}
	if r.Kind() != layout.KindTable {
		return nil
	}
	const all = 1<<layout.TablePlanes - 1
	table := r[layout.TableElement]
	for range 64 {
		p := v.pointIn(leaf.CellAddr)
		x, y, z := v.Coords(p)
		pos, neg := r.Signs(leaf.Units(x, y, z, layout.Scale(leaf.Level)))
		pos, neg = pos&all, neg&all
		if pos|neg != all || table>>(32+pos)&1 == 0 {
			continue
		}
		_, _, w := r.Reference(int(table >> pos & 1))
		var k predicates.Counter
		if want, o := v.WindingInCell(p, x, y, z, leaf.Record, leaf.CellAddr, &k); o == layout.Decided && v.Reduce(want) != w {
			return fmt.Errorf("cell %+v: the table has W = %d for region %05b, but W = %d at %v", leaf.CellAddr, w, pos, want, p)
		}
	}
	return nil
}

// exact returns the sign of the plane of face f at p. As in records, the sign is +1 on the outer
// side of f. For a face of zero area, exact returns 0.
func (v *validator) exact(f int32, p r3.Vector) int {
	t := v.Triangle(f)
	return -predicates.Orient3D(t[0], t[1], t[2], p)
}

// referenceSigns checks the plane bits of both references of a leaf.
func (v *validator) referenceSigns(leaf layout.Leaf) error {
	for i := range 2 {
		corner, _, _ := v.Record(leaf.Record).Reference(i)
		if corner > 7 {
			return fmt.Errorf("cell %+v: reference %d is corner %d", leaf.CellAddr, i, corner)
		}
		p := v.Corner(leaf.CellAddr, corner)
		for id, more := leaf.Record, true; more; {
			r := v.Record(id)
			_, signs, _ := r.Reference(i)
			for j, f := range v.Faces(id)[:r.Planes()] {
				positive := signs>>j&1 == 1
				switch {
				case f < 0:
					if !positive {
						return fmt.Errorf("cell %+v: reference %d: an unused plane is negative", leaf.CellAddr, i)
					}
				case v.Degenerate[f]:
				default:
					if s := v.exact(f, p); s == 0 || positive != (s > 0) {
						return fmt.Errorf("cell %+v: reference %d: bit %v for face %d, but the exact sign is %d", leaf.CellAddr, i, positive, f, s)
					}
				}
			}
			id, more = r.Next(), r.Kind() == layout.KindMore
		}
	}
	return nil
}

// planeSigns checks the proved signs of the planes of a leaf. It tests corners, random points, and
// points close to planes, where the proof of a sign is hardest.
func (v *validator) planeSigns(leaf layout.Leaf) error {
	var pts []r3.Vector
	for c := range uint8(8) {
		pts = append(pts, v.Corner(leaf.CellAddr, c))
	}
	for range 4 {
		pts = append(pts, v.pointIn(leaf.CellAddr))
	}
	list := v.lists[leaf.Record]
	for n := range 8 {
		if p, ok := v.nearPlane(leaf.CellAddr, list[(n*len(list))/8]); ok {
			pts = append(pts, p)
		}
	}
	for _, p := range pts {
		x, y, z := v.Coords(p)
		ux, uy, uz := leaf.Units(x, y, z, layout.Scale(leaf.Level))
		for id, more := leaf.Record, true; more; {
			r := v.Record(id)
			pos, neg := r.Signs(ux, uy, uz)
			if pos&neg != 0 {
				return fmt.Errorf("cell %+v: a plane is positive and negative at %v", leaf.CellAddr, p)
			}
			for j, f := range v.Faces(id)[:r.Planes()] {
				got := int(pos>>j&1) - int(neg>>j&1)
				switch {
				case f < 0:
					if got != 1 {
						return fmt.Errorf("cell %+v: an unused plane has sign %d at %v, want 1", leaf.CellAddr, got, p)
					}
				case got != 0:
					if s := v.exact(f, p); s != got {
						return fmt.Errorf("cell %+v: the plane of face %d has proved sign %d at %v, but the exact sign is %d", leaf.CellAddr, f, got, p, s)
					}
				}
			}
			id, more = r.Next(), r.Kind() == layout.KindMore
		}
	}
	return nil
}

// nearPlane chooses a random segment in the cell at c. If the segment meets the plane of face f,
// nearPlane returns a point of the segment near this plane. The distance from the plane is at most
// a few times 2^−14 of the edge of the cell.
func (v *validator) nearPlane(c layout.CellAddr, f int32) (r3.Vector, bool) {
	t := v.Triangle(f)
	a, b := v.pointIn(c), v.pointIn(c)
	e, g := t[1].Sub(t[0]), t[2].Sub(t[0])
	n := e.Mul(1 / e.Norm()).Cross(g.Mul(1 / g.Norm())) // scale each edge separately to avoid overflow and underflow
	da, db := n.Dot(a.Sub(t[0])), n.Dot(b.Sub(t[0]))
	u := da / (da - db)
	if !(u > 0 && u < 1) {
		return a, false
	}
	u = min(max(0, u+(v.random.Float64()-0.5)*0x1p-12), 1)
	return a.Mul(1 - u).Add(b.Mul(u)), true
}

// windings compares the winding numbers of references and empty cells with rays and with the
// potential of the caps.
func (v *validator) windings() error {
	rays, err := build.NewRayWinding(v.ctx, v.Grid, v.castRays)
	if err != nil {
		return fmt.Errorf("rays for winding numbers: %w", err)
	}
	for i := 0; i < len(v.leaves); i += stride(len(v.leaves), v.effort.rays) {
		leaf := v.leaves[i]
		for r := range 2 {
			corner, _, w := v.Record(leaf.Record).Reference(r)
			if want, ok := v.label(rays, leaf.CellAddr, v.Corner(leaf.CellAddr, corner)); ok && !v.same(w, want) {
				return fmt.Errorf("cell %+v: W = %d of reference %d, by rays %d", leaf.CellAddr, w, r, want)
			}
		}
	}
	v.random.Shuffle(len(v.empty), func(i, j int) { v.empty[i], v.empty[j] = v.empty[j], v.empty[i] })
	for _, c := range v.empty[:min(len(v.empty), v.effort.rays)] {
		p := v.pointIn(c.CellAddr)
		if want, ok := v.label(rays, c.CellAddr, p); ok && !v.same(c.w, want) {
			return fmt.Errorf("cell %+v: W = %d, by rays %d at %v", c.CellAddr, c.w, want, p)
		}
	}
	return nil
}

// same reports whether two labels are equal, or have the same side in an open mesh. A cell far from all
// thresholds can have another label with the same side.
func (v *validator) same(w, want int32) bool {
	return w == want || v.CapSum != nil && v.Rule != side.EvenOdd && v.Side(w) == v.Side(want)
}

// label returns the label that the cell at a must have according to its point p. In an open cell,
// this is the winding number k of the mesh and its caps. In other cells, it is k minus the integer
// nearest to the potential of the caps. ok is false if the label cannot be computed at p.
func (v *validator) label(rays *build.RayWinding, a layout.CellAddr, p r3.Vector) (w int32, ok bool) {
	k, ok := rays.At(p)
	if !ok || v.CapSum == nil || v.isOpen(a) {
		return k, ok
	}
	j, bound, on := v.CapSumAt(p)
	n := math.RoundToEven(j)
	return k - int32(n), !on && math.Abs(j-n)+bound < 0.5
}

// fields compares the fields of some open cells with rays and with sums over the caps.
func (v *validator) fields() error {
	if v.Open == nil {
		return nil
	}
	used, total := make([]bool, len(v.Fields)), 0
	for w, smooth := range v.Smooth {
		if smooth&^v.Open[w] != 0 {
			return fmt.Errorf("word %d: cells %b have fields, but only %b are open", w, smooth, v.Open[w])
		}
		for i := range bits.OnesCount64(smooth) {
			at := int(v.FirstField[w]) + i
			if at >= len(used) || used[at] {
				return fmt.Errorf("word %d: field %d of %d is missing or used twice", w, at, len(used))
			}
			used[at] = true
			total++
		}
	}
	if total != len(used) {
		return fmt.Errorf("%d fields for %d cells", len(used), total)
	}
	var caster *raycross.Caster // for the fields of W only
	var scratch raycross.Scratch
	step := max(1, 5*total/v.effort.rays)
	for position, entry := range v.Top {
		for z := range layout.BrickSide {
			word := entry>>3*layout.BrickSide + uint32(z)
			if entry&layout.TopRayOnly != 0 {
				continue
			}
			for left := v.Smooth[word]; left != 0; left &= left - 1 {
				bit := uint(bits.TrailingZeros64(left))
				f := v.FieldOf(word, bit)
				if v.random.IntN(step) > 0 {
					continue
				}
				c := layout.CellAddr{At: v.FirstCell(int32(position))}
				c.At[0], c.At[1], c.At[2] = c.At[0]+int32(bit&7), c.At[1]+int32(bit>>3), c.At[2]+int32(z)
				lo, hi := v.Corner(c, 0), v.Corner(c, 7)
				for range 2 {
					u := r3.Vector{X: v.random.Float64(), Y: v.random.Float64(), Z: v.random.Float64()}
					d := hi.Sub(lo)
					p := lo.Add(r3.Vector{X: u.X * d.X, Y: u.Y * d.Y, Z: u.Z * d.Z})
					got, bound := f.At(u.X, u.Y, u.Z)
					var want, off float64
					if f.Kind == layout.CapField {
						want, off, _ = v.CapSumAt(p)
					} else {
						if caster == nil {
							var err error
							if caster, err = v.castRays(v.ctx); err != nil {
								return err
							}
						}
						want, off = caster.Winding(p, &scratch)
					}
					if f.Kind == layout.FaceField {
						x, y, z := v.Coords(p)
						chi, o := v.FaceCrossings(p, x, y, z, v.RecordOf(word, bit), c, new(predicates.Counter))
						if o != layout.Decided {
							continue
						}
						want -= float64(chi)
					}
					if !(math.Abs(got-want) <= bound+off+1e-9) {
						return fmt.Errorf("cell %+v: the field is %g ± %g at %v, want %g ± %g", c, got, bound, p, want, off)
					}
				}
			}
		}
	}
	return nil
}
