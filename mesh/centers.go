package mesh

import (
	"math"
	"math/big"
	"slices"

	"github.com/golang/geo/r3"
)

const (
	// jitter is the largest distance of a center from the middle of its box, along each axis and in
	// lengths of the box.
	jitter = 0.4
	// longestEdge and shortestEdge bound the edges of the boxes (TestBoxes).
	longestEdge, shortestEdge = 2.0, 0.4
	// outside is the largest distance of a point from the cube, along each axis: half a grid cube,
	// which is at most half as long as a cell.
	outside = 0.5
	// margin is the distance from the cube, along each axis, up to which there are centers. The three
	// centers nearest to a point must be closer than margin − outside. These three centers are no
	// farther than the centers of three boxes: the box that contains the point, and its two neighbors
	// in the row. With w = longestEdge, the centers of the neighbors are at most √(1.9²+0.9²+0.9²)·w
	// < 2.3·w < 4.6 away.
	margin = 6
	// rim is the number of boxes that cover the margin on one side of the cube, along each axis.
	rim = int(margin/shortestEdge) + 1
)

// centers has the centers of the foam cells in the cube from 0 to edge, and of more cells around the
// cube, up to margin. The unit is the length of a cell, so the mean volume of a cell is 1. The
// centers are in buckets: cubes of edge 1.
type centers struct {
	edge   float64
	width  int     // number of buckets along an edge
	first  []int32 // bucket b has the centers points[first[b]:first[b+1]]
	points []r3.Vector
}

// cubeRoot returns ∛n, rounded down. Unlike math.Cbrt, whose last bit can differ between platforms, it
// compares with exact cubes.
func cubeRoot(n int) float64 {
	exceeds := func(r float64) bool { // r³ > n
		x := new(big.Float).SetPrec(200).SetFloat64(r)
		return new(big.Float).Mul(x, new(big.Float).Mul(x, x)).Cmp(big.NewFloat(float64(n))) > 0
	}
	r := math.Cbrt(float64(n))
	for exceeds(r) {
		r = math.Nextafter(r, 0)
	}
	for next := math.Nextafter(r, math.Inf(1)); !exceeds(next); next = math.Nextafter(r, math.Inf(1)) {
		r = next
	}
	return r
}

// newCenters returns n centers in the cube and more centers around it. The cube is divided into
// layers along z, a layer into rows along y, and a row into boxes along x. Each part is as thick as
// its number of boxes demands, so that all boxes have the volume 1. The divisions are periodic with
// the period edge, but the random centers are not.
func newCenters(n int, seed uint64) *centers {
	edge := cubeRoot(n)
	c := &centers{edge: edge, width: int(math.Ceil(edge)) + 2*margin}
	var list []r3.Vector
	eachBox(n, func(x, y, z int, low, size r3.Vector) {
		at := func(axis int, low, size float64) float64 {
			shift := jitter * (2*uniform(seed, axis, x+3, y+3, z+3) - 1)
			return low + 0.5*size + float64(float64(shift)*size)
		}
		p := r3.Vector{X: at(0, low.X, size.X), Y: at(1, low.Y, size.Y), Z: at(2, low.Z, size.Z)}
		if c.bucket(p) >= 0 {
			list = append(list, p)
		}
	})
	c.fill(list)
	return c
}

// fill puts the centers into the buckets. Each center must have a bucket.
func (c *centers) fill(list []r3.Vector) {
	c.first = make([]int32, c.width*c.width*c.width+1)
	for _, p := range list {
		c.first[c.bucket(p)+1]++
	}
	for b := range c.first[1:] {
		c.first[b+1] += c.first[b]
	}
	c.points = make([]r3.Vector, len(list))
	next := slices.Clone(c.first)
	for _, p := range list {
		b := c.bucket(p)
		c.points[next[b]] = p
		next[b]++
	}
}

// eachBox calls visit for all boxes of newCenters, including those around the cube. x is the number of
// the box in its row, y the number of the row in its layer, and z the number of the layer. They are 0
// for the first box, row and layer in the cube.
func eachBox(n int, visit func(x, y, z int, low, size r3.Vector)) {
	edge := cubeRoot(n)
	layers := max(1, int(math.Round(edge)))
	divide(edge, n, layers, func(z int, lowZ, sizeZ float64, inLayer int) {
		rows := max(1, int(math.Round(math.Sqrt(float64(inLayer)))))
		divide(edge, inLayer, rows, func(y int, lowY, sizeY float64, inRow int) {
			divide(edge, inRow, inRow, func(x int, lowX, sizeX float64, _ int) {
				visit(x, y, z, r3.Vector{X: lowX, Y: lowY, Z: lowZ}, r3.Vector{X: sizeX, Y: sizeY, Z: sizeZ})
			})
		})
	})
}

// divide divides the interval from 0 to edge, which has n boxes, into parts with nearly equal
// numbers of boxes. It repeats the division on both sides up to margin. It calls visit with the
// number of each part, its start, its length and its number of boxes.
func divide(edge float64, n, parts int, visit func(i int, low, size float64, boxes int)) {
	for i := -rim; i < parts+rim; i++ {
		period := int(math.Floor(float64(i) / float64(parts)))
		k := i - period*parts
		from, to := k*n/parts, (k+1)*n/parts
		low := float64(edge*float64(from))/float64(n) + float64(float64(period)*edge)
		size := float64(edge*float64(to-from)) / float64(n)
		if low+size > -margin && low < edge+margin {
			visit(i, low, size, to-from)
		}
	}
}

// bucket returns the number of the bucket with p, or −1 if there is none.
func (c *centers) bucket(p r3.Vector) int {
	x, y, z := int(math.Floor(p.X))+margin, int(math.Floor(p.Y))+margin, int(math.Floor(p.Z))+margin
	if w := uint(c.width); uint(x) >= w || uint(y) >= w || uint(z) >= w {
		return -1
	}
	return (z*c.width+y)*c.width + x
}

// distances returns the distances of p to the nearest and to the third-nearest center. The point p
// must be at most the distance outside from the cube along each axis.
func (c *centers) distances(p r3.Vector) (d1, d3 float64) {
	fx, fy, fz := math.Floor(p.X), math.Floor(p.Y), math.Floor(p.Z)
	x, y, z := int(fx)+margin, int(fy)+margin, int(fz)+margin
	// A center in a bucket beyond ring r is farther than r + room.
	room := min(p.X-fx, fx+1-p.X, p.Y-fy, fy+1-p.Y, p.Z-fz, fz+1-p.Z)
	near := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)} // the three smallest squared distances
	for ring := 0; ring < c.width; ring++ {
		for bz := max(0, z-ring); bz <= min(c.width-1, z+ring); bz++ {
			for by := max(0, y-ring); by <= min(c.width-1, y+ring); by++ {
				row := (bz*c.width + by) * c.width
				lo, hi := max(0, x-ring), min(c.width-1, x+ring)
				if bz == z-ring || bz == z+ring || by == y-ring || by == y+ring {
					c.add(&near, p, row+lo, row+hi)
					continue
				}
				if x-ring >= 0 {
					c.add(&near, p, row+x-ring, row+x-ring)
				}
				if x+ring < c.width {
					c.add(&near, p, row+x+ring, row+x+ring)
				}
			}
		}
		if bound := float64(ring) + room; near[2] <= bound*bound {
			break
		}
	}
	return math.Sqrt(near[0]), math.Sqrt(near[2])
}

// add updates the three smallest squared distances of p with the centers in the buckets from lo to hi.
func (c *centers) add(near *[3]float64, p r3.Vector, lo, hi int) {
	for _, q := range c.points[c.first[lo]:c.first[hi+1]] {
		x, y, z := q.X-p.X, q.Y-p.Y, q.Z-p.Z
		switch d := float64(x*x) + float64(y*y) + float64(z*z); {
		case d < near[0]:
			near[0], near[1], near[2] = d, near[0], near[1]
		case d < near[1]:
			near[1], near[2] = d, near[1]
		case d < near[2]:
			near[2] = d
		}
	}
}

// uniform returns a pseudorandom number in [0, 1) that depends on all arguments. It adds each
// argument to the state and then applies the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func uniform(seed uint64, salt, x, y, z int) float64 {
	h := seed
	for _, k := range [4]int{salt, x, y, z} {
		h += 0x9e3779b97f4a7c15 + uint64(k)
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return float64(h>>11) * 0x1p-53
}
