package polygon

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/golang/geo/r2"
	"pgregory.net/rapid"
)

func points(xy ...float64) []r2.Point {
	out := make([]r2.Point, len(xy)/2)
	for i := range out {
		out[i] = r2.Point{X: xy[2*i], Y: xy[2*i+1]}
	}
	return out
}

func TestBadShapes(t *testing.T) {
	star := make([]r2.Point, 5)
	for i := range star {
		sin, cos := math.Sincos(2 * math.Pi * float64(2*i) / 5)
		star[i] = r2.Point{X: cos, Y: sin}
	}
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name    string
		corners []r2.Point
		want    string
	}{
		{"none", nil, "number of corners 0 must be at least 3"},
		{"two", points(0, 0, 1, 0), "number of corners 2 must be at least 3"},
		{"NaN", points(0, 0, 1, 0, 1, nan), "corner 2 (1, NaN): coordinates must be numbers"},
		{"infinite", points(0, 0, inf, 0, 1, 1), "corner 1 (+Inf, 0): coordinates must be numbers"},
		{"too large", points(0, 0, 1, 0, 0, 0x1p201), "corner 2"},
		{"too small", points(0, 0, 0x1p-201, 0, 0, 0x1p-201), "largest coordinate"},
		{"short edge", points(0, 0, 1, 0, 0, 1, -1e-160, 1e-160), "corner 3 (-1e-160, 1e-160): the edge to the next corner is shorter"},
		{"too thin", points(0, 0, 1e-60, 0, 0, 1e-100), "area"},
		{"clockwise", points(0, 0, 0, 1, 1, 1, 1, 0), "corner 0 (0, 0): the boundary turns to the right at all corners: list them counterclockwise"},
		{"not convex", points(0, 0, 2, 0, 1, 0.5, 0, 2), "corner 2 (1, 0.5): the boundary turns to the right"},
		{"not convex, clockwise", points(0, 0, 0, 2, 1, 0.5, 2, 0), "corner 0 (0, 0): the boundary turns to the right here and to the left at corner 2"},
		{"not convex by a bit", points(0, 0, 1, 0x1p-1074, 2, 0, 1, 1), "corner 1"},
		{"repeated", points(0, 0, 1, 0, 1, 0, 0, 1), "corner 2 (1, 0): repeats corner 1"},
		{"closed like a ring", points(0, 0, 1, 0, 0, 1, 0, 0), "corner 3 (0, 0): repeats corner 0"},
		{"repeated as -0", points(0, 0, 1, 0, 1, 1, math.Copysign(0, -1), 0), "corner 3 (-0, 0): repeats corner 0"},
		{"in one line", points(0, 0, 1, 1, 2, 2), "corner 0 (0, 0): the boundary reverses"},
		{"spike", points(0, 0, 1, 0, 3, 0, 2, 0, 1, 1), "corner 2 (3, 0): the boundary reverses"},
		{"twice around", star, "the boundary goes around more than once"},
		{"bow tie", points(0, 0, 1, 1, 1, 0, 0, 1), "the boundary turns to the right"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := New(row.corners)
			if s != nil || !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, %v, want an error with %q", s, err, row.want)
			}
		})
	}
}

// New must drop corners that lie on a straight side, and retain corners close to a side.
func TestCornersInLine(t *testing.T) {
	s := must[*Shape](t)(New(points(1, 0, 2, 0, 3, 0, 3, 1, 3, 3, 1.5, 1.5, 0, 0)))
	if s.Len() != 3 || s.Corner(0) != (r2.Point{X: 3}) || s.Corner(2) != (r2.Point{}) {
		t.Errorf("corners %v", s.corners)
	}
	s = must[*Shape](t)(New(points(0, 0, 1, -0x1p-1074, 2, 0, 1, 1)))
	if s.Len() != 4 {
		t.Errorf("corners %v", s.corners)
	}
}

func TestNewCopies(t *testing.T) {
	c := points(0, 0, 1, 0, 0, 1)
	s := must[*Shape](t)(New(c))
	c[0].X = 7
	if s.Corner(0) != (r2.Point{}) {
		t.Error("the shape changes with the argument")
	}
}

func TestMoments(t *testing.T) {
	type want struct {
		area     float64
		centroid r2.Point
		second   float64
	}
	rectangle := func(x, y, w, h float64) ([]r2.Point, want) {
		return points(x, y, x+w, y, x+w, y+h, x, y+h), want{w * h, r2.Point{X: x + w/2, Y: y + h/2}, w * h * (w*w + h*h) / 12}
	}
	// The second moment of a triangle is its area times the sum of its squared sides, divided by 36.
	triangle := func(a, b, c r2.Point) ([]r2.Point, want) {
		area := b.Sub(a).Cross(c.Sub(a)) / 2
		sides := b.Sub(a).Dot(b.Sub(a)) + c.Sub(b).Dot(c.Sub(b)) + a.Sub(c).Dot(a.Sub(c))
		return []r2.Point{a, b, c}, want{area, a.Add(b).Add(c).Mul(1. / 3), area * sides / 36}
	}
	// A regular polygon with n corners at the distance r from its center has the area ½·n·r²·sin α
	// with α = 2π/n. Its second moment is area·r²·(2 + cos α)/6.
	polygon := func(n int, r float64) ([]r2.Point, want) {
		alpha := 2 * math.Pi / float64(n)
		area := float64(n) / 2 * r * r * math.Sin(alpha)
		return regular(t, n, r, 0.1).corners, want{area, r2.Point{}, area * r * r * (2 + math.Cos(alpha)) / 6}
	}
	for _, row := range []struct {
		name  string
		make  func() ([]r2.Point, want)
		scale float64 // the allowed error of the centroid is 1e-15·scale
	}{
		{"unit square", func() ([]r2.Point, want) { return rectangle(0, 0, 1, 1) }, 1},
		{"rectangle", func() ([]r2.Point, want) { return rectangle(-3, 5, 0.25, 8) }, 8},
		{"far rectangle", func() ([]r2.Point, want) { return rectangle(1e15, -1e15, 2, 1) }, 1e15},
		{"thin rectangle", func() ([]r2.Point, want) { return rectangle(0, 0, 1, 0x1p-400) }, 1},
		{"large", func() ([]r2.Point, want) { return rectangle(0, 0, 0x1p200, 0x1p199) }, 0x1p200},
		{"small", func() ([]r2.Point, want) { return rectangle(0, 0, 0x1p-200, 0x1p-199) }, 0x1p-199},
		{"triangle", func() ([]r2.Point, want) {
			return triangle(r2.Point{X: 1, Y: 2}, r2.Point{X: 5, Y: -1}, r2.Point{X: 3, Y: 7})
		}, 7},
		{"hexagon", func() ([]r2.Point, want) { return polygon(6, 3) }, 3},
		{"many corners", func() ([]r2.Point, want) { return polygon(1000, 2) }, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			corners, want := row.make()
			s := must[*Shape](t)(New(corners))
			if !near(s.Area(), want.area, want.area) || !near(s.SecondMoment(), want.second, want.second) {
				t.Errorf("area %v, want %v, second moment %v, want %v", s.Area(), want.area, s.SecondMoment(), want.second)
			}
			if s.Centroid().Sub(want.centroid).Norm() > 1e-15*row.scale {
				t.Errorf("centroid %v, want %v", s.Centroid(), want.centroid)
			}
		})
	}
}

// If a shape is cut in two, the second moments of the parts must obey Steiner's theorem. If a shape
// is moved or its corners are renumbered, its second moment must stay the same.
func TestMomentsProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range trials(2_000, 100_000) {
		s := random(t, rng, 4+rng.IntN(8), 1)
		n := s.Len()
		if n < 4 {
			continue
		}
		cut := 2 + rng.IntN(n-3)
		l := must[*Shape](t)(New(s.corners[:cut+1]))
		r := must[*Shape](t)(New(append([]r2.Point{s.corners[0]}, s.corners[cut:]...)))
		sum := 0.0
		for _, h := range []*Shape{l, r} {
			d := h.Centroid().Sub(s.Centroid())
			sum += h.SecondMoment() + h.Area()*d.Dot(d)
		}
		if !near(l.Area()+r.Area(), s.Area(), s.Area()) || !near(sum, s.SecondMoment(), s.SecondMoment()) {
			t.Fatalf("%v: halves have area %v and second moment %v, the whole %v and %v", s.corners,
				l.Area()+r.Area(), sum, s.Area(), s.SecondMoment())
		}
		first := rng.IntN(n)
		other := must[*Shape](t)(New(append(append([]r2.Point{}, s.corners[first:]...), s.corners[:first]...)))
		if !near(other.SecondMoment(), s.SecondMoment(), s.SecondMoment()) || !near(other.Area(), s.Area(), s.Area()) {
			t.Fatalf("%v: from corner %d on %v, %v, want %v, %v", s.corners, first,
				other.Area(), other.SecondMoment(), s.Area(), s.SecondMoment())
		}
		c, err := s.Centered()
		if err != nil {
			continue // rounding has made a thin shape nonconvex
		}
		// If rounding moves a corner of a shape with length 2 and width w by δ, its centroid moves by up to 2δ/w.
		if off := 8 * unit * (1 + 4/s.Area()); c.Centroid().Norm() > off || c.Len() == n && math.Abs(c.SecondMoment()-s.SecondMoment()) > 1e-14 {
			t.Fatalf("%v: centered at %v, second moment %v, want %v", s.corners, c.Centroid(), c.SecondMoment(), s.SecondMoment())
		}
	}
}

// New must accept the same corners as the independent function latticeConvex. Areas must be exact.
func TestNewIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 7).Draw(t, "n")
		corners := make([]r2.Point, n)
		xy := make([][2]int, n)
		for i := range corners {
			xy[i] = [2]int{rapid.IntRange(0, 4).Draw(t, "x"), rapid.IntRange(0, 4).Draw(t, "y")}
			corners[i] = r2.Point{X: float64(xy[i][0]), Y: float64(xy[i][1])}
		}
		s, err := New(corners)
		if convex := latticeConvex(xy); (err == nil) != convex {
			t.Fatalf("%v: %v, convex %v", xy, err, convex)
		}
		if err == nil {
			twice := 0
			for i, p := range xy {
				q := xy[(i+1)%n]
				twice += p[0]*q[1] - p[1]*q[0]
			}
			if s.Area() != float64(twice)/2 {
				t.Fatalf("%v: area %v, want %v", xy, s.Area(), float64(twice)/2)
			}
		}
	})
}

// latticeConvex reports whether the polygon is convex and counterclockwise. All corners must be
// different. Each corner must be on or to the left of each edge.
func latticeConvex(xy [][2]int) bool {
	n := len(xy)
	cross := func(a, b, c [2]int) int {
		return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	}
	area := 0
	for i := range xy {
		for j := range xy {
			if i != j && xy[i] == xy[j] || cross(xy[i], xy[(i+1)%n], xy[j]) < 0 {
				return false
			}
		}
		area += cross([2]int{}, xy[i], xy[(i+1)%n])
	}
	// The corners on a straight side must be in order along the side. They are in order if the
	// perimeter of the polygon equals the perimeter of its hull.
	length := 0.0
	corners := make([]r2.Point, n)
	for i, p := range xy {
		corners[i] = r2.Point{X: float64(p[0]), Y: float64(p[1])}
	}
	for i, p := range corners {
		length += corners[(i+1)%n].Sub(p).Norm()
	}
	h := hull(corners)
	for i, p := range h {
		length -= h[(i+1)%len(h)].Sub(p).Norm()
	}
	return area > 0 && math.Abs(length) < 1e-9
}

func TestBadPoses(t *testing.T) {
	s := must[*Shape](t)(New(points(0, 0, 1, 0, 0, 1)))
	b := must[Body](t)(Place(s, Pose{At: r2.Point{X: 1, Y: 2}, Angle: 3}))
	before := b
	for _, p := range []Pose{
		{At: r2.Point{X: math.NaN()}}, {At: r2.Point{Y: math.Inf(-1)}}, {At: r2.Point{X: 0x1p201}},
		{Angle: math.NaN()}, {Angle: math.Inf(1)},
	} {
		if err := b.Move(p); !errors.Is(err, ErrPose) || b != before {
			t.Errorf("%+v: %v, moved %v", p, err, b != before)
		}
		if _, err := Place(s, p); !errors.Is(err, ErrPose) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// The rectangle of Bounds must be tight. The rectangle and the circle of Radius must contain the
// exact corners.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range trials(2_000, 100_000) {
		far := math.Pow(10, 12*rng.Float64()-6)
		b := must[Body](t)(Place(random(t, rng, 3+rng.IntN(8), 1),
			Pose{At: r2.Point{X: far * rng.NormFloat64(), Y: far * rng.NormFloat64()}, Angle: 9 * rng.NormFloat64()}))
		low, high := b.Bounds()
		at := twinPoint{bigFloat(b.at.X), bigFloat(b.at.Y)}
		lowest, highest := high, low
		for i, c := range twinCorners(&b) {
			if c.x.Cmp(bigFloat(low.X)) < 0 || c.y.Cmp(bigFloat(low.Y)) < 0 || c.x.Cmp(bigFloat(high.X)) > 0 || c.y.Cmp(bigFloat(high.Y)) > 0 {
				t.Fatalf("%+v: corner %d is outside %v, %v", b, i, low, high)
			}
			p := c.rounded()
			lowest = r2.Point{X: min(lowest.X, p.X), Y: min(lowest.Y, p.Y)}
			highest = r2.Point{X: max(highest.X, p.X), Y: max(highest.Y, p.Y)}
			if d := c.sub(at); d.dot(d).Cmp(blank().Mul(bigFloat(b.shape.Radius()), bigFloat(b.shape.Radius()))) > 0 {
				t.Fatalf("%+v: corner %d is outside radius %v", b, i, b.shape.Radius())
			}
			if d := b.Corner(i).Sub(p); d.Norm() > 1e-15*(1+b.at.Norm()) {
				t.Fatalf("%+v: corner %d at %v, want %v", b, i, b.Corner(i), p)
			}
		}
		if d := lowest.Sub(low).Norm() + high.Sub(highest).Norm(); d > 1e-14*(1+b.at.Norm()) {
			t.Fatalf("%+v: bounds %v, %v are loose by %g", b, low, high, d)
		}
	}
}
