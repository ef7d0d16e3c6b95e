package main

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"gonum.org/v1/gonum/stat"

	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/dem/polygon"
	"github.com/inpoly/inpoly/neighbor"
)

// Units of the heaps: the mean radius of the particles, their density, and gravity are 1. The radius of a
// particle is the radius of the disk with the same area.
const (
	heapSpread    = 0.2 // radii are from 1−spread to 1+spread, so that round particles do not form a crystal
	roundCorners  = 100
	heapFriction  = 0.5
	heapStiffness = 1e4 // the lowest particles of 400 overlap by about 2 % of their radius
	heapDamping   = 100 // collisions of two particles have a restitution of about a half
	heapStep      = 1e-3
	heapDensity   = 0.82 // share of the area that particles at rest fill, for the width of the column
	groundHalves  = 4    // half of the length of the ground, in halves of the width of the column
)

// heapOptions are the options of all worlds of heaps.
func heapOptions(threads int) dem.Options {
	return dem.Options{TimeStep: heapStep, Stiffness: heapStiffness, Damping: heapDamping, Density: 1, Friction: heapFriction, Workers: threads}
}

// grain makes the shape of a particle of the given radius.
type grain func(radius float64, random *rand.Rand) (*polygon.Shape, error)

// roundGrain returns a regular polygon with many corners.
func roundGrain(radius float64, _ *rand.Rand) (*polygon.Shape, error) {
	angles := make([]float64, roundCorners)
	for i := range angles {
		angles[i] = 2 * math.Pi * float64(i) / roundCorners
	}
	return inscribed(angles, radius)
}

// angularGrain returns an irregular polygon with four to seven corners on a circle, one in each sector.
func angularGrain(radius float64, random *rand.Rand) (*polygon.Shape, error) {
	angles := make([]float64, 4+random.IntN(4))
	for i := range angles {
		angles[i] = 2 * math.Pi * (float64(i) + 0.6*random.Float64()) / float64(len(angles))
	}
	return inscribed(angles, radius)
}

// inscribed returns the polygon with the given corners on a circle and with the area of a disk of the
// given radius.
func inscribed(angles []float64, radius float64) (*polygon.Shape, error) {
	double := 0.0 // twice the area for the unit circle
	for i, a := range angles {
		double += math.Sin(angles[(i+1)%len(angles)] - a)
	}
	size := radius * math.Sqrt(2*math.Pi/double)
	corners := make([]r2.Point, len(angles))
	for i, a := range angles {
		s, c := math.Sincos(a)
		corners[i] = r2.Point{X: size * c, Y: size * s}
	}
	return polygon.New(corners)
}

// particle returns a particle of random radius and rotation, and its radius.
func particle(shape grain, random *rand.Rand) (dem.Polygon, float64, error) {
	radius := 1 + heapSpread*(2*random.Float64()-1)
	s, err := shape(radius, random)
	return dem.Polygon{Shape: s, Pose: polygon.Pose{Angle: 2 * math.Pi * random.Float64()}}, radius, err
}

// columnScene returns n particles on a lattice above a rough ground, between walls whose distance is
// about twice the height of the particles at rest. The ground is a row of fixed particles of the same
// kind. half is half of the distance between the walls.
func columnScene(n int, shape grain, random *rand.Rand) (s dem.PolygonScene, half float64, err error) {
	half = math.Sqrt(float64(n)*math.Pi/heapDensity/2) + 1
	s = dem.PolygonScene{Walls: neighbor.Rect{Min: r2.Point{X: -half, Y: -10}, Max: r2.Point{X: half, Y: math.Inf(1)}}, Gravity: r2.Point{Y: -1}}
	for x := -groundHalves * half; x < groundHalves*half; {
		p, radius, err := particle(shape, random)
		if err != nil {
			return s, half, err
		}
		p.Fixed, p.Pose.At.X = true, x+radius
		s.Polygons, x = append(s.Polygons, p), x+2*radius
	}
	spacing := 0.0 // the diameter of the largest circle around a particle
	list := make([]dem.Polygon, n)
	for i := range list {
		if list[i], _, err = particle(shape, random); err != nil {
			return s, half, err
		}
		spacing = max(spacing, 2*list[i].Shape.Corner(0).Norm())
	}
	columns := int(2 * half / spacing)
	for i, p := range list {
		p.Pose.At = r2.Point{X: spacing * (float64(i%columns) - float64(columns-1)/2), Y: spacing * float64(i/columns+1)}
		s.Polygons = append(s.Polygons, p)
	}
	return s, half, nil
}

// advance advances a world for the given time.
func advance(ctx context.Context, w *dem.Polygons, time float64) error {
	for end := w.Time() + time; w.Time() < end; {
		if err := w.Step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// heapPlan has the parameters with which heaps are made.
type heapPlan struct {
	particles, heaps int     // heaps is the number of heaps of each kind
	fill, collapse   float64 // time to fill the column, and time without walls
}

// heap is a heap after its collapse.
type heap struct {
	surface []float64
	angle   float64 // in degrees
	before  float64 // the angle when a quarter of the time is left
}

// build fills a column, removes its walls, and returns the heap. Only positions and velocities remain when the
// walls are removed; springs of friction begin anew.
func (p heapPlan) build(ctx context.Context, shape grain, seed uint64, threads int) (heap, error) {
	scene, half, err := columnScene(p.particles, shape, rand.New(rand.NewPCG(seed, 1999)))
	if err != nil {
		return heap{}, err
	}
	world := func() (*dem.Polygons, error) {
		boxes := neighbor.NewVerletList[neighbor.Rect](neighbor.VerletOptions{Workers: threads})
		return dem.NewPolygons(ctx, scene, boxes, heapOptions(threads))
	}
	w, err := world()
	if err != nil {
		return heap{}, err
	}
	if err := advance(ctx, w, p.fill); err != nil {
		return heap{}, err
	}
	for i := range scene.Polygons {
		q := &scene.Polygons[i]
		q.Pose = w.Pose(i)
		q.Velocity, q.Spin = w.Velocity(i)
	}
	scene.Walls = neighbor.Rect{}
	if w, err = world(); err != nil {
		return heap{}, err
	}
	h := heap{}
	for _, share := range []float64{0.75, 0.25} {
		if err := advance(ctx, w, share*p.collapse); err != nil {
			return heap{}, err
		}
		h.before = h.angle
		h.surface = surface(w, w.Len()-p.particles, int(groundHalves*half/heapBin))
		if h.angle, err = repose(h.surface); err != nil {
			return heap{}, err
		}
	}
	return h, nil
}

// heapBin is the width of the bins in which the surface of a heap is sampled: the mean diameter of
// a particle.
const heapBin = 2.0

// surface returns the greatest height of a particle in each bin from −bins to bins, or 0 where no particle
// is above the centers of the ground. The particles of the heap begin at index first.
func surface(w *dem.Polygons, first, bins int) []float64 {
	y := make([]float64, 2*bins+1)
	for i := first; i < w.Len(); i++ {
		b := w.Body(i)
		n := b.Shape().Len()
		for k := range n {
			raise(y, b.Corner(k), b.Corner((k+1)%n))
		}
	}
	return y
}

// raise raises the heights of a surface to the edge from p to q, where the edge is higher.
func raise(y []float64, p, q r2.Point) {
	if q.X < p.X {
		p, q = q, p
	}
	edge := func(i int) float64 { return heapBin * (float64(i-len(y)/2) - 0.5) } // left end of bin i
	bin := func(x float64) int { return int(math.Floor(x/heapBin+0.5)) + len(y)/2 }
	for i := max(0, bin(p.X)); i <= min(bin(q.X), len(y)-1); i++ {
		for _, x := range []float64{max(p.X, edge(i)), min(q.X, edge(i+1))} {
			at := p.Y
			if q.X > p.X {
				at += (q.Y - p.Y) * (x - p.X) / (q.X - p.X)
			} else {
				at = max(at, q.Y)
			}
			y[i] = max(y[i], at)
		}
	}
}

// A flank of a heap is the part between two heights: flankHigh and flankLow, as shares of the greatest
// height. Above the flank, the top is round. Below it, single particles have rolled away.
const (
	flankHigh = 0.8
	flankLow  = 0.2
)

// errFlat is the error for a surface without a heap that ends on both sides.
var errFlat = errors.New("the surface has no flanks")

// repose returns the angle of the flanks of a surface in degrees: the mean of the angles of the lines that
// fit the left and the right flank by least squares. Going outward from the highest bin, a flank ends at
// the first bin below flankLow. The flank begins at the last bin above flankHigh before this end.
func repose(y []float64) (angle float64, err error) {
	top := 0
	for i := range y {
		if y[i] > y[top] {
			top = i
		}
	}
	for _, side := range []int{-1, 1} {
		begin, end := top, top
		for y[end] >= flankLow*y[top] {
			if y[end] > flankHigh*y[top] {
				begin = end
			}
			if end += side; end < 0 || end == len(y) {
				return 0, errFlat
			}
		}
		var xs, ys []float64
		for i := begin; i != end+side; i += side {
			xs, ys = append(xs, heapBin*float64((i-top)*side)), append(ys, y[i])
		}
		_, slope := stat.LinearRegression(xs, ys, nil, false)
		angle += math.Atan(-slope) * 90 / math.Pi
	}
	return angle, nil
}
