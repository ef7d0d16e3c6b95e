package locate

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
)

// PreciseShare is the share of epsilon that is left for the error of a winding number before the
// number is rounded to float64. CheckEpsilon ensures that rounding leaves this share.
const PreciseShare = 0x1p-21

// Nearest returns the float64 nearest to w, and a bound of its error. bound is the error bound of
// w. If w is nil, Nearest returns NaN and +Inf.
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

// CheckEpsilon returns an error that wraps fmm.ErrEpsilon if epsilon is too small: for some point,
// no float64 is certainly within epsilon of the winding number. It regards the meshes as one mesh.
// An epsilon of 0 requests no error bound. CheckEpsilon takes O(N) time for N faces.
func CheckEpsilon(epsilon float64, meshes ...*mesh.Mesh) error {
	if epsilon == 0 {
		return nil
	}
	if least := 0x1p-53 * (1 + 0x1p-20) * max(1, largestWinding(meshes)); !(epsilon >= least) {
		return fmm.EpsilonError(epsilon, least)
	}
	return nil
}

// largestWinding returns an upper bound of |W| over all points. Each face contributes at most 1/2.
// If the meshes have few boundary edges, each axis gives a smaller bound. Let k be the largest
// number of faces that a plane perpendicular to the axis meets. For a point on no face, W is a sum
// over a ray in such a plane, at most k, plus at most 1/2 for each boundary edge (package bem). At
// most k faces contain a given point, and leaving them out changes W by at most k/2.
func largestWinding(meshes []*mesh.Mesh) float64 {
	faces, edges, box := 0, 0.0, bvh.EmptyBox()
	for _, m := range meshes {
		faces += m.NumFaces()
		box = box.Union(m.Box())
		for _, e := range m.Boundary() {
			edges += math.Abs(float64(e.Mult))
		}
	}
	least, planes := float64(faces)/2, min(1<<16, 1+faces) // tuning: the largest number of planes
	for _, axis := range []func(r3.Vector) float64{
		func(v r3.Vector) float64 { return v.X }, func(v r3.Vector) float64 { return v.Y }, func(v r3.Vector) float64 { return v.Z },
	} {
		// Slabs divide the axis into equal parts. Rounding is monotone: if a plane meets a face,
		// the slab of the plane is one of the slabs of the face.
		low, size := axis(box.Min), axis(box.Size())
		if size == 0 { // all faces are in slab 0
			size = 1
		}
		slab := func(x float64) int { return min(planes-1, int((x-low)/size*float64(planes))) }
		change := make([]int, planes+1)
		for _, m := range meshes {
			for f := range m.NumFaces() {
				t := m.Triangle(int32(f))
				a, b, c := axis(t[0]), axis(t[1]), axis(t[2])
				change[slab(min(a, b, c))]++
				change[slab(max(a, b, c))+1]--
			}
		}
		count, most := 0, 0
		for _, n := range change {
			count += n
			most = max(most, count)
		}
		least = min(least, 1.5*float64(most)+edges/2)
	}
	return least
}
