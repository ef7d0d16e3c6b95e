package drillhole

import (
	"errors"
	"fmt"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/mesh"
)

// Method is a method of desurveying: it says which curve a hole follows between two stations. The
// zero Method is MinimumCurvature.
type Method uint8

const (
	// MinimumCurvature connects two stations by the arc of a circle that has their directions. It is
	// the standard method (Sawaryn and Thorogood, "A compendium of directional calculations based on
	// the minimum curvature method", SPE Drilling & Completion 20, 2005).
	MinimumCurvature Method = iota
	// BalancedTangential follows the direction of each station up to the middle between two stations.
	BalancedTangential
	// Tangential follows the direction of a station up to the next station.
	Tangential
)

// MethodNames lists the names of the methods.
var MethodNames = []string{"minimum-curvature", "balanced-tangential", "tangential"}

// String returns the name of the method.
func (m Method) String() string { return MethodNames[m] }

// Station is a measurement of the direction of a hole.
type Station struct {
	Depth float64 // depth along the hole
	// Azimuth is the angle of the horizontal direction, in degrees clockwise from north, which is +y.
	Azimuth float64
	// Dip is the angle between the direction and the horizontal plane in degrees. Holes that go down
	// have a negative dip.
	Dip float64
}

// Direction returns the unit vector of the station: x is east, y is north, z is up. A component is
// exact if it is 0 or ±1. The error of each component is at most 9u, where u = 2⁻⁵³: a sine or a
// cosine has an error of at most 4u, and the product of two of them is rounded once.
func (s Station) Direction() r3.Vector {
	sinA, cosA := sincos(s.Azimuth)
	sinD, cosD := sincos(s.Dip)
	return r3.Vector{X: cosD * sinA, Y: cosD * cosA, Z: sinD}
}

// sincos returns the sine and the cosine of an angle in degrees. They are exact for multiples of
// 90°. Otherwise the remainder of the angle is exact and at most 45°. Its conversion to radians has a
// relative error of at most 3u, so the error of each result is at most 4u.
func sincos(degrees float64) (sin, cos float64) {
	r := math.Remainder(degrees, 90)
	s, c := math.Sincos(r * (math.Pi / 180))
	switch quadrant := int64(math.RoundToEven((degrees-r)/90)) & 3; quadrant {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

// Path is a polyline with the depth of each point.
type Path struct {
	Points []r3.Vector
	Depths []float64 // depth of each point along the hole; they begin with 0 and never descend
	// Bound is an upper bound of the distance between the point of the polyline and the point of the
	// exact curve at the same depth. It includes the rounding of the points.
	Bound float64
}

// Errors of Desurvey.
var (
	// ErrReversal means that two stations have opposite directions, so no arc connects them.
	ErrReversal = errors.New("opposite directions of adjacent stations")
	// ErrTooFar means that a point of the hole exceeds mesh.MaxCoordinate.
	ErrTooFar = errors.New("the hole is too long")
	// ErrChords means that a hole needs more than maxPoints points.
	ErrChords = errors.New("too many chords")
)

// maxPoints limits the points of one hole, and so the memory.
const maxPoints = 1 << 20

// Desurvey returns the path of a hole from the point collar to the depth end. The depths of the
// stations must ascend, begin with 0 and not exceed end. After the last station, the hole is straight.
//
// The method MinimumCurvature divides each arc into equal chords. Let L be the length of the arc and β
// the angle between its ends in radians. A linear interpolation of a curve p has an error of at most
// h²/8·max|p″| on a part of length h. Here |p″| = β/L, and n chords have h = L/n. So n is the smallest
// number with L·β/(8n²) ≤ chord.
func Desurvey(collar r3.Vector, stations []Station, end float64, method Method, chord float64) (Path, error) {
	p := &builder{Path: Path{Points: []r3.Vector{collar}, Depths: []float64{0}}}
	for i, s := range stations {
		from, to := s.Direction(), s.Direction()
		next := end
		if i+1 < len(stations) {
			next, to = stations[i+1].Depth, stations[i+1].Direction()
		}
		var err error
		switch {
		case next == s.Depth: // the last station is at the end
			continue
		case method == MinimumCurvature && from != to:
			err = p.arc(s.Depth, next, from, to, chord)
		case method == BalancedTangential && from != to:
			middle := s.Depth + (next-s.Depth)/2
			p.line(s.Depth, middle, from)
			p.line(middle, next, to)
		default:
			p.line(s.Depth, next, from)
		}
		if last := p.Points[len(p.Points)-1]; err == nil && !(vec.MaxAbs(last) <= mesh.MaxCoordinate) {
			err = ErrTooFar
		}
		if err != nil {
			return Path{}, fmt.Errorf("from depth %v to %v: %w", s.Depth, next, err)
		}
	}
	p.finish()
	return p.Path, nil
}

// builder is a Path to which courses are added.
type builder struct {
	Path
	chord float64 // largest error of a chord
	turn  float64 // sum of the rounding errors of the courses, in units of u
}

// roundings bounds the rounding error of a course, in units of u times its length. A direction of a
// station has an error of at most 9√3·u < 16u. An arc has two unit vectors, which at most double this
// error, apart from the factor 1/cos(β/2). The remaining 32u suffice for the other operations: two
// sines, a cosine, and at most ten products and sums of numbers that do not exceed the length.
const roundings = 64

func (p *builder) line(from, to float64, d r3.Vector) {
	start := p.Points[len(p.Points)-1]
	p.add(start.Add(d.Mul(to-from)), to)
	p.turn += roundings * (to - from)
}

// arc adds the arc of a circle between the depths from and to, with the unit tangents t1 and t2 at its
// ends. Let m and e be the unit vectors of t1+t2 and t2−t1, β the angle between t1 and t2, L the length
// of the arc, and a = β/2. The chord from the start to the point at the depth from+ℓ has the length
// L/a·sin ψ with ψ = a·ℓ/L, and the direction cos(a−ψ)·m − sin(a−ψ)·e.
func (p *builder) arc(from, to float64, t1, t2 r3.Vector, chord float64) error {
	m, e := t1.Add(t2), t2.Sub(t1)
	sin, cos := e.Norm()/2, m.Norm()/2
	const opposite = 1e-12 // a shorter sum t1+t2 consists of rounding errors: its error is at most 32u
	if cos < opposite {
		return ErrReversal
	}
	const parallel = 0x1p-60 // below this sine, the arc and a line differ by less than u/32 of the length
	if sin < parallel {
		p.line(from, to, t1)
		return nil
	}
	a := math.Atan2(sin, cos)
	m, e = m.Mul(1/(2*cos)), e.Mul(1/(2*sin))
	length := to - from
	n := math.Max(1, math.Ceil(math.Sqrt(length*a/(4*chord))))
	if n+float64(len(p.Points)) > maxPoints {
		return ErrChords
	}
	start := p.Points[len(p.Points)-1]
	for k := range int(n) {
		part := float64(k+1) / n
		psi := a * part
		sinPsi := math.Sin(psi)
		sinRest, cosRest := math.Sincos(a - psi)
		direction := m.Mul(cosRest).Sub(e.Mul(sinRest))
		depth := from + length*part
		if k+1 == int(n) {
			depth = to
		}
		p.add(start.Add(direction.Mul(length*sinPsi/a)), depth)
	}
	p.chord = math.Max(p.chord, length*a/(4*n*n))
	p.turn += roundings * length / cos
	return nil
}

func (p *builder) add(q r3.Vector, depth float64) {
	p.Points = append(p.Points, q)
	p.Depths = append(p.Depths, depth)
}

// finish sets the bound. The sum of a point and a displacement is rounded by at most u times the largest
// coordinate in each of three components. The errors of the points of one arc do not add up, but the
// bound counts each point.
func (p *builder) finish() {
	const u = 0x1p-53
	largest := 0.0
	for _, q := range p.Points {
		largest = math.Max(largest, vec.MaxAbs(q))
	}
	if p.chord > 0 {
		p.chord *= 1 + 8*u // the bound of the chord is rounded less often
	}
	p.Bound = p.chord + u*(p.turn+2*float64(len(p.Points))*largest)
}
