package locate

import (
	"math"
	"math/big"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/fmm"
	"github.com/inpoly/inpoly/mesh"
)

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
		return fmm.EpsilonError(epsilon, least)
	}
	return nil
}

// largestWinding returns an upper bound of |W| for all points. A face contributes at most 1/2. For
// meshes with few boundary edges there is a smaller bound for each axis: let k be the largest number
// of faces that a plane across the axis meets. If a point lies on no face, W is the sum over a ray in
// its plane, at most k, and of at most 1/2 for each boundary edge (package bem). At most k faces
// contain a point, and leaving them out changes W by at most k/2.
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
		// Rounding is monotone, so the slab of a plane is one of the slabs of each face that the plane
		// meets.
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
