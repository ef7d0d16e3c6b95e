package polygon

import (
	"math/big"

	"github.com/golang/geo/r2"
)

// vector is a point or vector in a frame, exactly.
type vector struct{ x, y *big.Rat }

func newVector() vector { return vector{new(big.Rat), new(big.Rat)} }

func (u vector) add(v vector) vector {
	return vector{new(big.Rat).Add(u.x, v.x), new(big.Rat).Add(u.y, v.y)}
}

func (u vector) sub(v vector) vector {
	return vector{new(big.Rat).Sub(u.x, v.x), new(big.Rat).Sub(u.y, v.y)}
}

func (u vector) mul(t *big.Rat) vector {
	return vector{new(big.Rat).Mul(u.x, t), new(big.Rat).Mul(u.y, t)}
}

func (u vector) cross(v vector) *big.Rat {
	l := new(big.Rat).Mul(u.x, v.y)
	return l.Sub(l, new(big.Rat).Mul(u.y, v.x))
}

func (u vector) value() r2.Point {
	x, _ := u.x.Float64()
	y, _ := u.y.Float64()
	return r2.Point{X: x, Y: y}
}

// exactSums are sums in rational numbers: for bodies so thin, or so small beside the other
// one, that places of twice the precision do not resolve them.
type exactSums struct {
	begun  bool
	origin vector
	weight *big.Rat
	first  vector
	chord  [2]vector
	pieces [2]int
}

func newExactSums() *exactSums {
	return &exactSums{weight: new(big.Rat), first: newVector(), chord: [2]vector{newVector(), newVector()}}
}

// overlap returns what the bodies have in common, each number rounded once.
func (s *exactSums) overlap(f *frame) Overlap {
	if !s.begun {
		return Overlap{}
	}
	o := Overlap{Area: roundRat(new(big.Rat).Mul(s.weight, big.NewRat(1, 2)))}
	at := vector{rat(f.body[0].at.X), rat(f.body[0].at.Y)}
	third := new(big.Rat).Inv(new(big.Rat).Mul(s.weight, big.NewRat(3, 1)))
	o.Centroid = s.first.mul(third).add(s.origin).add(at).value()
	if s.pieces[0] > 0 && s.pieces[1] > 0 {
		o.Chord = s.chord[0].sub(s.chord[1]).mul(big.NewRat(1, 2)).value()
	}
	return o
}

func (s *exactSums) add(f *frame, k int, share float64, from, to tip) {
	u, v := f.tipExact(from), f.tipExact(to)
	if !s.begun {
		s.begun, s.origin = true, u
	}
	u, v = u.sub(s.origin), v.sub(s.origin)
	w := u.cross(v)
	w.Mul(w, rat(share))
	s.weight.Add(s.weight, w)
	s.first = s.first.add(u.add(v).mul(w))
	s.chord[k] = s.chord[k].add(v.sub(u).mul(rat(share)))
	s.pieces[k]++
}

// tipExact returns where the end of a piece is.
func (f *frame) tipExact(e tip) vector {
	f.rational++
	place := func(c *corner) vector {
		x, y := f.fractionCorner(c)
		return vector{x, y}
	}
	from := place(e.at)
	if e.to == nil {
		return from
	}
	to, origin := place(e.to), place(e.c)
	line := place(e.d).sub(origin)
	begin, end := line.cross(from.sub(origin)), line.cross(to.sub(origin))
	t := new(big.Rat).Quo(begin, end.Sub(begin, end))
	return to.sub(from).mul(t).add(from)
}
