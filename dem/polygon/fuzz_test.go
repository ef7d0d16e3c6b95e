package polygon

import (
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/golang/geo/r2"
)

// For any corners, New must return an error, or a shape with only left turns and positive moments.
func FuzzNew(f *testing.F) {
	add := func(xy ...float64) {
		var data []byte
		for _, v := range xy {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		f.Add(data)
	}
	add(0, 0, 1, 0, 1, 1, 0, 1)
	add(0, 0, 1, 0x1p-1074, 2, 0, 1, 1)
	add(0, 0, 1, 0, 0, 1e-140)
	add(math.NaN(), 0, 1, 0, 0, 1)
	add(-1e60, -1e60, 1e60, -1e60, 1e60, 1e60)
	add(1, 0, 2, 0, 3, 0, 3, 1, 3, 3, 1.5, 1.5, 0, 0)
	f.Fuzz(func(t *testing.T, data []byte) {
		var corners []r2.Point
		for ; len(data) >= 16; data = data[16:] {
			corners = append(corners, r2.Point{
				X: math.Float64frombits(binary.LittleEndian.Uint64(data)),
				Y: math.Float64frombits(binary.LittleEndian.Uint64(data[8:])),
			})
		}
		s, err := New(corners)
		if err != nil {
			if s != nil || !errors.Is(err, ErrShape) {
				t.Fatalf("%v: %v, %v", corners, s, err)
			}
			return
		}
		body := Body{shape: s, cos: 1}
		var fr frame
		fr.init(&body, &body)
		n := s.Len()
		for i := range n {
			a, b, c := fr.corner(0, i), fr.corner(0, (i+1)%n), fr.corner(0, (i+2)%n)
			if exactCross(&fr, &a, &b, &b, &c).Sign() <= 0 {
				t.Fatalf("%v: no left turn at %v", corners, s.Corner((i+1)%n))
			}
		}
		if !(s.Area() >= MinArea && s.SecondMoment() > 0 && s.Radius() > 0) || math.IsInf(s.SecondMoment(), 0) {
			t.Fatalf("%v: area %v, second moment %v, radius %v", corners, s.Area(), s.SecondMoment(), s.Radius())
		}
	})
}

// For any two bodies and any stored features, the relation must be the same as in rational
// arithmetic. All results must be finite and consistent.
func FuzzPair(f *testing.F) {
	f.Add([]byte{0, 0, 4, 0, 4, 4, 0, 4}, []byte{0, 0, 4, 0, 0, 4}, 4.0, 0.0, 0.0, 0.0, int8(0), uint16(0))
	f.Add([]byte{0, 0, 4, 0, 4, 4, 0, 4}, []byte{0, 0, 4, 0, 4, 4, 0, 4}, 1.0, 2.0, 0.3, 0.7, int8(0), uint16(0x1203))
	f.Add([]byte{0, 0, 9, 1, 7, 7, 1, 8}, []byte{0, 0, 4, 0, 0, 4}, 1e50, 0.0, 1e9, 0.0, int8(-100), uint16(1))
	f.Add([]byte{0, 0, 9, 1, 7, 7, 1, 8}, []byte{0, 0, 4, 0, 0, 4}, 4e-300, -4e-300, 1e-300, 0.0, int8(100), uint16(2))
	f.Fuzz(func(t *testing.T, first, second []byte, x, y, angleA, angleB float64, scale int8, start uint16) {
		shape := func(data []byte, scale int) *Shape {
			var corners []r2.Point
			for ; len(data) >= 2; data = data[2:] {
				corners = append(corners, r2.Point{X: float64(int8(data[0])), Y: float64(int8(data[1]))})
			}
			if len(corners) == 0 || len(corners) > 12 {
				return nil
			}
			corners = hull(corners)
			for i := range corners {
				corners[i] = corners[i].Mul(math.Ldexp(1, scale))
			}
			s, err := New(corners)
			if err != nil && len(corners) >= 3 {
				t.Fatalf("hull %v: %v", corners, err)
			}
			return s
		}
		sa, sb := shape(first, 0), shape(second, int(scale))
		if sa == nil || sb == nil {
			return
		}
		a, errA := Place(sa, Pose{Angle: angleA})
		b, errB := Place(sb, Pose{Angle: angleB, At: r2.Point{X: x, Y: y}})
		if errA != nil || errB != nil {
			return
		}
		p := Pair{feature: [2]Feature{
			{Index: int32(start & 15), Edge: start>>4&1 == 1},
			{Index: int32(start >> 8 & 15), Edge: start>>12&1 == 1},
		}}
		got, common := p.Distance(&a, &b), p.Overlap(&a, &b)
		if want := exactRelation(&a, &b); got.Relation != want {
			t.Fatalf("%v, want %v", got.Relation, want)
		}
		if (got.Distance > 0) != (got.Relation == Separated) || (got.Distance < 0) != (got.Relation == Overlapping) ||
			(common.Area > 0) != (got.Relation == Overlapping) {
			t.Fatalf("%+v, %+v", got, common)
		}
		for _, v := range []float64{got.Distance, got.Points[0].X, got.Points[0].Y, got.Points[1].X, got.Points[1].Y,
			common.Area, common.Centroid.X, common.Centroid.Y, common.Chord.X, common.Chord.Y} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%+v, %+v", got, common)
			}
		}
		if math.Abs(got.Normal.Norm()-1) > tolerance {
			t.Fatalf("normal %v", got.Normal)
		}
		if common.Area > min(sa.Area(), sb.Area())*(1+tolerance) {
			t.Fatalf("area %v of %v and %v", common.Area, sa.Area(), sb.Area())
		}
		var fresh Pair
		if again := fresh.Distance(&a, &b); again != got {
			t.Fatalf("%+v, fresh %+v", got, again)
		}
		if again := fresh.Overlap(&a, &b); again != common {
			t.Fatalf("%+v, fresh %+v", common, again)
		}
	})
}

// A Pair that follows a motion must return the same bits as a new Pair, whatever it stored before.
// The area must be positive if and only if Distance reports an overlap.
func FuzzMotion(f *testing.F) {
	square := []byte{0, 0, 4, 0, 4, 4, 0, 4}
	var round []byte
	for i := range 40 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 40)
		round = append(round, byte(int8(120*cos)), byte(int8(120*sin)))
	}
	f.Add(square, square, 3.9, 0.1, 0.2, -0.01, 0.3, 0.01, uint64(0))
	f.Add(round, round, 230.0, 5.0, -0.3, 0.1, 0.0, 0.03, uint64(0x020304050607))
	f.Add(round, square, 118.0, 0.0, 0.01, 0.01, 0.0, 0.1, uint64(0x01))
	f.Add(square, round, -100.0, 20.0, 10.0, 0.0, 0.0, 0.0, uint64(0x020101))
	f.Add(round, round, 0.0, 0.0, 1e-9, 0.0, 0.1, 1e-9, uint64(2))
	f.Fuzz(func(t *testing.T, first, second []byte, x, y, vx, vy, angle, spin float64, start uint64) {
		shape := func(data []byte) *Shape {
			var corners []r2.Point
			for ; len(data) >= 2 && len(corners) < 64; data = data[2:] {
				corners = append(corners, r2.Point{X: float64(int8(data[0])), Y: float64(int8(data[1]))})
			}
			s, err := New(hull(corners))
			if err != nil {
				return nil
			}
			return s
		}
		sa, sb := shape(first), shape(second)
		if sa == nil || sb == nil {
			return
		}
		b := func(i int) int32 { return int32(start >> (8 * i) & 0x3f) }
		p := Pair{
			feature: [2]Feature{{Index: b(1), Edge: start&4 != 0}, {Index: b(2), Edge: start&8 != 0}},
			last:    state(start & 3 % 3),
			cross:   crossings{{b(3), b(4)}, {b(5), b(6)}},
		}
		for i := range 6 {
			h := float64(i)
			a, errA := Place(sa, Pose{Angle: angle})
			b, errB := Place(sb, Pose{Angle: angle + h*spin, At: r2.Point{X: x + h*vx, Y: y + h*vy}})
			if errA != nil || errB != nil {
				return
			}
			var fresh Pair
			got, want := p.Overlap(&a, &b), fresh.Overlap(&a, &b)
			if got != want {
				t.Fatalf("step %d: got %+v, fresh %+v", i, got, want)
			}
			if near := fresh.Distance(&a, &b); (got.Area > 0) != (near.Relation == Overlapping) {
				t.Fatalf("step %d: %+v, %+v", i, near, got)
			}
			if common := got.Area; !(common <= min(sa.Area(), sb.Area())*(1+tolerance)) {
				t.Fatalf("step %d: area %v of %v and %v", i, common, sa.Area(), sb.Area())
			}
		}
	})
}

// exactRelation tests all separating axes in rational numbers.
func exactRelation(a, b *Body) Relation {
	var f frame
	f.init(a, b)
	relation := Overlapping
	for k := range 2 {
		n, m := f.body[k].shape.Len(), f.body[1-k].shape.Len()
		for i := range n {
			p, q := f.corner(k, i), f.corner(k, (i+1)%n)
			var highest *big.Rat
			for j := range m {
				c := f.corner(1-k, j)
				if h := exactCross(&f, &p, &q, &p, &c); highest == nil || h.Cmp(highest) > 0 {
					highest = h
				}
			}
			switch highest.Sign() {
			case -1:
				return Separated
			case 0:
				relation = Touching
			}
		}
	}
	return relation
}
