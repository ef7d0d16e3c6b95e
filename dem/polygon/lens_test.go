package polygon

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/golang/geo/r2"
)

// If the boundaries cross twice, lens must return the same overlap as the sums over all pieces.
func TestLensIsTheSumOfPieces(t *testing.T) {
	lenses, corners := 0, 0
	eachScene(t, 47, trials(10_000, 500_000), func(t *testing.T, a, b *Body) {
		var f frame
		f.init(a, b)
		var s pieceSums
		if f.thin() || !f.pieces(0, &s) || !f.onlyCrossings(&s) {
			return
		}
		f.pieces(1, &s)
		var got Overlap
		if !f.lensAt(&s.crossings, &got) {
			return
		}
		lenses++
		corners = max(corners, s.pieces[0], s.pieces[1])
		want := f.summed(&s)
		// See TestOverlapTwin for the error of thin areas.
		known := 0x1p-90 * f.span() * (want.Chord.Norm() + math.Sqrt(want.Area))
		if !near(got.Area, want.Area, want.Area+known/tolerance) {
			t.Errorf("area %v, want %v, off by %g", got.Area, want.Area, got.Area/want.Area-1)
		}
		if want.Area < 1e6*known {
			return // the directions are not known
		}
		// The chord is a sum of vectors along the boundary. Some of them can be longer than the chord.
		size := s.high.Sub(s.low).Norm()
		if d := got.Chord.Sub(want.Chord).Norm(); d > tolerance*size {
			t.Errorf("chord %v, want %v, off by %g", got.Chord, want.Chord, d)
		}
		if d := got.Centroid.Sub(want.Centroid).Norm(); d > tolerance*want.Chord.Norm()+16*unit*(f.span()+a.at.Norm()) {
			t.Errorf("centroid %v, want %v, off by %g", got.Centroid, want.Centroid, d)
		}
	})
	t.Logf("%d lenses, at most %d pieces of a boundary", lenses, corners)
	if lenses < trials(500, 500) || corners < 10 {
		t.Errorf("%d lenses with at most %d pieces: the test says little", lenses, corners)
	}
}

// The area must be precise for thin overlaps of bodies with many corners too. The test presses two
// regular polygons together. It compares with an overlap whose sums are over all pieces.
func TestThinLensOfManyCorners(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 49))
	for _, n := range []int{17, 100, 1000} {
		s := regular(t, n, 1, 0.05)
		for range trials(100, 5_000) {
			depth := math.Pow(10, -14*rng.Float64())
			var far Pair
			a, b := press(t, &far, s, rng.IntN(10_000), depth)
			b.at = b.at.Add(r2.Point{X: 0x1p-60 * rng.NormFloat64()})
			var f frame
			f.init(&a, &b)
			var sums pieceSums
			if !f.pieces(0, &sums) || !f.onlyCrossings(&sums) {
				continue
			}
			f.pieces(1, &sums)
			var got Overlap
			ok := f.lensAt(&sums.crossings, &got)
			if want := f.summed(&sums); !ok || !near(got.Area, want.Area, want.Area) || got.Chord.Sub(want.Chord).Norm() > tolerance*want.Chord.Norm() {
				t.Fatalf("%d corners, depth %g: got %+v, want %+v, area off by %g", n, depth, got, want, got.Area/want.Area-1)
			}
		}
	}
}

// The gap of two edges must have the documented error, and float64 may only decide signs that are exact.
// The test uses random pairs of edges, and the edges that cross.
func TestLocateIsCertain(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	certain, found := 0, 0
	eachScene(t, 53, trials(10_000, 500_000), func(t *testing.T, a, b *Body) {
		var f frame
		f.init(a, b)
		var s pieceSums
		f.pieces(0, &s)
		bound := new(big.Rat).Mul(rat(0x1p-100), rat(f.span()))
		for try := range 4 {
			k := rng.IntN(2)
			c := s.crossings[k]
			if try > 0 || s.enters == 0 || s.leaves == 0 {
				c = crossing{rng.Int32N(int32(f.body[k].shape.Len())), rng.Int32N(int32(f.body[1-k].shape.Len()))}
			}
			var m crossingPoint
			ok := f.locate(&m, k, &c)
			end, start := f.corner(k, f.next(k, int(c.own))), f.corner(1-k, int(c.other))
			gap := f.rationalDifference(&end, &start)
			for _, pair := range [2]struct {
				got  double
				want *big.Rat
			}{{m.gap.x, gap.x}, {m.gap.y, gap.y}} {
				off := new(big.Rat).Sub(new(big.Rat).Add(rat(pair.got.hi), rat(pair.got.lo)), pair.want)
				if off.Abs(off).Cmp(bound) > 0 {
					t.Errorf("gap %v, off by %g times the bound", pair.got, roundRat(off.Quo(off, bound)))
				}
			}
			var got, want [4]int
			got[0], got[1], got[2], got[3] = m.sides(f.gapErr())
			want[0], want[1], want[2], want[3] = f.crossingSides(k, &c)
			for i, side := range got {
				if side != 0 {
					certain++
					if side != want[i] {
						t.Errorf("side %d: %d, want %d", i, side, want[i])
					}
				}
			}
			if crosses := want == [4]int{-1, 1, 1, -1}; ok && !crosses {
				t.Errorf("certain crossing at %v: sides %v", c, want)
			}
			if ok {
				found++
			}
		}
	})
	t.Logf("%d certain signs, %d certain crossings", certain, found)
	if certain < trials(10_000, 10_000) || found < trials(500, 500) {
		t.Errorf("%d certain signs, %d certain crossings: the test says little", certain, found)
	}
}
