package build

import (
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/internal/engine/cells/internal/layout"
)

// The test compares components and faces with a search that visits single cells.
func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for round := range 300 {
		var free brickMask
		for z := range free {
			free[z] = r.Uint64() & r.Uint64()
			if round%3 > 0 {
				free[z] |= r.Uint64()
			}
		}
		left := free
		free.components(func(p brickMask) {
			checkComponent(t, func(c [3]int32) bool { return cellIn(&free, c) }, func(c [3]int32) bool { return cellIn(&p, c) }, layout.BrickSide)
			for z := range p {
				if p[z]&^left[z] != 0 || p == (brickMask{}) {
					t.Fatalf("round %d: component %x of %x is empty, or found twice", round, p, free)
				}
				left[z] &^= p[z]
			}
			checkBrickFaces(t, &p)
		})
		if left != (brickMask{}) {
			t.Fatalf("round %d: cells %x of %x are in no component", round, left, free)
		}
		free4, left4 := free[0], free[0]
		in := func(w uint64, c [3]int32) bool { return w>>(c[0]|c[1]<<2|c[2]<<4)&1 == 1 }
		childComponents(free4, func(p uint64) {
			checkComponent(t, func(c [3]int32) bool { return in(free4, c) }, func(c [3]int32) bool { return in(p, c) }, layout.ChildSide)
			if p == 0 || p&^left4 != 0 {
				t.Fatalf("round %d: component %x of %x is empty, or found twice", round, p, free4)
			}
			left4 &^= p
		})
		if left4 != 0 {
			t.Fatalf("round %d: cells %x of %x are in no component", round, left4, free4)
		}
	}
}

func cellIn(b *brickMask, c [3]int32) bool { return b[c[2]]>>(c[0]|c[1]<<layout.BrickBits)&1 == 1 }

// checkComponent checks that a component is a maximal connected set of free cells.
func checkComponent(t *testing.T, free, component func(c [3]int32) bool, side int32) {
	t.Helper()
	seen := map[[3]int32]bool{}
	var todo [][3]int32
	cells := 0
	for i := range side * side * side {
		c := [3]int32{i % side, i / side % side, i / side / side}
		if component(c) {
			if cells++; cells == 1 {
				seen[c], todo = true, append(todo, c)
			}
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for axis := range 3 {
			for _, d := range [2]int32{-1, 1} {
				c := todo[0]
				if c[axis] += d; c[axis] < 0 || c[axis] >= side || !free(c) || seen[c] {
					continue
				}
				seen[c], todo = true, append(todo, c)
				if !component(c) {
					t.Fatalf("cell %v is missing in a component", c)
				}
			}
		}
	}
	if len(seen) != cells {
		t.Fatalf("a component of %d cells, of which %d are connected", cells, len(seen))
	}
}

func checkBrickFaces(t *testing.T, p *brickMask) {
	t.Helper()
	for axis := range 3 {
		for k, upper := range []bool{false, true} {
			got := p.face(axis, upper)
			for i := range int32(64) {
				c := [3]int32{}
				c[axis] = int32(k) * (layout.BrickSide - 1)
				a, b := (axis+1)%3, (axis+2)%3
				if a > b {
					a, b = b, a
				}
				c[a], c[b] = i%layout.BrickSide, i/layout.BrickSide
				if got>>i&1 == 1 != cellIn(p, c) {
					t.Fatalf("face %d, upper %v: bit %d is wrong: %#x", axis, upper, i, got)
				}
			}
		}
	}
}

func TestDilated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var m, want brickMask
		for range 1 + r.IntN(6) {
			x, y, z := r.IntN(8), r.IntN(8), r.IntN(8)
			m[z] |= 1 << (x + 8*y)
			for i := range 27 {
				if x, y, z := x+i%3-1, y+i/3%3-1, z+i/9-1; min(x, y, z) >= 0 && max(x, y, z) < 8 {
					want[z] |= 1 << (x + 8*y)
				}
			}
		}
		if got := m.dilated(); got != want {
			t.Fatalf("%x: %x, want %x", m, got, want)
		}
	}
}
