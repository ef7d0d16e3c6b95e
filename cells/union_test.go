package cells

import (
	"math/rand/v2"
	"testing"
)

// Sets joined in any order have the winding numbers that the differences come
// from, as soon as they are connected with set 0, and no sooner.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for round := range 500 {
		n := 2 + r.Int32N(30)
		w, group := make([]int32, n), make([]int32, n)
		for i := range group {
			w[i], group[i] = r.Int32N(9)-4, int32(i)
		}
		w[0] = 0
		u := newUnion(int(n))
		for range r.Int32N(2 * n) {
			a, b := r.Int32N(n), r.Int32N(n)
			u.join(a, b, w[a]-w[b])
			from, to := group[a], group[b]
			for i := range group {
				if group[i] == from {
					group[i] = to
				}
			}
			for range 2 {
				i, j := r.Int32N(n), r.Int32N(n)
				ri, di := u.find(i)
				rj, dj := u.find(j)
				if (ri == rj) != (group[i] == group[j]) {
					t.Fatalf("round %d: sets %d and %d: joined is %v, want %v", round, i, j, ri == rj, !(ri == rj))
				}
				if ri == rj && di-dj != w[i]-w[j] {
					t.Fatalf("round %d: W of set %d less that of %d is %d, want %d", round, i, j, di-dj, w[i]-w[j])
				}
			}
			i := r.Int32N(n)
			if got, ok := u.w(i); ok != (group[i] == group[0]) || ok && got != w[i] {
				t.Fatalf("round %d: W of set %d is %d, known %v; want %d, known %v", round, i, got, ok, w[i], group[i] == group[0])
			}
		}
	}
}

// Parts of a brick and of a refined cell, and their faces, are those of a search
// cell by cell.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for round := range 300 {
		var free block
		for z := range free {
			free[z] = r.Uint64() & r.Uint64()
			if round%3 > 0 {
				free[z] |= r.Uint64()
			}
		}
		left := free
		free.parts(func(p block) {
			checkPart(t, func(c [3]int32) bool { return cellIn(&free, c) }, func(c [3]int32) bool { return cellIn(&p, c) }, brickSide)
			for z := range p {
				if p[z]&^left[z] != 0 || p == (block{}) {
					t.Fatalf("round %d: part %x of %x is empty, or found twice", round, p, free)
				}
				left[z] &^= p[z]
			}
			checkBrickFaces(t, &p)
		})
		if left != (block{}) {
			t.Fatalf("round %d: cells %x of %x are in no part", round, left, free)
		}
		free4, left4 := free[0], free[0]
		in := func(w uint64, c [3]int32) bool { return w>>(c[0]|c[1]<<2|c[2]<<4)&1 == 1 }
		parts4(free4, func(p uint64) {
			checkPart(t, func(c [3]int32) bool { return in(free4, c) }, func(c [3]int32) bool { return in(p, c) }, childSide)
			if p == 0 || p&^left4 != 0 {
				t.Fatalf("round %d: part %x of %x is empty, or found twice", round, p, free4)
			}
			left4 &^= p
		})
		if left4 != 0 {
			t.Fatalf("round %d: cells %x of %x are in no part", round, left4, free4)
		}
	}
}

func cellIn(b *block, c [3]int32) bool { return b[c[2]]>>(c[0]|c[1]<<brickBits)&1 == 1 }

// checkPart checks that part is one connected set of free, and all of it.
func checkPart(t *testing.T, free, part func(c [3]int32) bool, side int32) {
	t.Helper()
	seen := map[[3]int32]bool{}
	var todo [][3]int32
	cells := 0
	for i := range side * side * side {
		c := [3]int32{i % side, i / side % side, i / side / side}
		if part(c) {
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
				if !part(c) {
					t.Fatalf("cell %v is missing in a part", c)
				}
			}
		}
	}
	if len(seen) != cells {
		t.Fatalf("a part of %d cells, of which %d are connected", cells, len(seen))
	}
}

func checkBrickFaces(t *testing.T, p *block) {
	t.Helper()
	for axis := range 3 {
		for k, upper := range []bool{false, true} {
			got := p.face(axis, upper)
			for i := range int32(64) {
				c := [3]int32{}
				c[axis] = int32(k) * (brickSide - 1)
				a, b := (axis+1)%3, (axis+2)%3
				if a > b {
					a, b = b, a
				}
				c[a], c[b] = i%brickSide, i/brickSide
				if got>>i&1 == 1 != cellIn(p, c) {
					t.Fatalf("face %d, upper %v: bit %d is wrong: %#x", axis, upper, i, got)
				}
			}
		}
	}
}
