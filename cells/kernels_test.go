package cells

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// The offsets that tools/kernels counts on.
func TestKernelLayout(t *testing.T) {
	var g grid
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"min", unsafe.Offsetof(g.min), 0},
		{"inv", unsafe.Offsetof(g.inv), 24},
		{"last", unsafe.Offsetof(g.last), 32},
		{"bricks", unsafe.Offsetof(g.bricks), 44},
		{"top", unsafe.Offsetof(g.top), 56},
		{"words", unsafe.Offsetof(g.words), 64},
		{"value of a word", unsafe.Offsetof(word{}.value), 8},
		{"size of a word", unsafe.Sizeof(word{}), 16},
		{"size of a line", unsafe.Sizeof(line{}), 64},
		{"size of a point", unsafe.Sizeof(r3.Vector{}), 24},
		{"Outside", uintptr(side.Outside), 1},
		{"Inside", uintptr(side.Inside), 3},
		{"certain", certain, 1 << 17},
		{"unitU", unitU, 1<<14 - 1},
		{"brickSide", brickSide, 8},
		{"needsRays", needsRays, 4},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, the assembly has %d", f.name, f.got, f.want)
		}
	}
}

// randomLine returns a line of random planes, some of them extreme.
func randomLine(r *rand.Rand) *line {
	l := new(line)
	extremes := []uint64{0, 0x8001, 0x7fff, 1, 0xffff}
	for j := range l {
		for k := range 4 {
			w := r.Uint64() & 0xffff
			if w == 0x8000 || r.IntN(3) == 0 { // −2^15 is not a coefficient
				w = extremes[r.IntN(len(extremes))]
			}
			l[j] |= w << (16 * k)
		}
		if r.IntN(6) == 0 {
			l[j] = noPlane
		}
	}
	return l
}

func TestPlaneSigns(t *testing.T) {
	if !hasAVX2 {
		t.Skip("no AVX2: there is one implementation")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		lines, at := make([]*line, n), make([]uint64, n)
		for i := range lines {
			lines[i] = randomLine(r)
			u := func() int32 {
				if r.IntN(4) == 0 {
					return []int32{-unitU, 0, unitU}[r.IntN(3)]
				}
				return r.Int32N(2*unitU+1) - unitU
			}
			at[i] = pack(u(), u(), u())
		}
		got, want := make([]uint16, n), make([]uint16, n)
		planeSigns(lines, at, got)
		planeSignsGeneric(lines, at, want)
		for i := range want {
			// Bit 0 of each byte belongs to the header.
			if got[i]&0xfefe != want[i]&0xfefe {
				t.Fatalf("line %x at %x: %b, want %b", *lines[i], at[i], got[i], want[i])
			}
			if p, q := lineSigns(lines[i], at[i]); p != uint64(want[i]&0xff>>1) || q != uint64(want[i]>>9) {
				t.Fatalf("line %x at %x: %b and %b, want %b", *lines[i], at[i], p, q, want[i])
			}
		}
	}
}

func TestCornerSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 5000 {
		l := randomLine(r)
		var pos, neg, wantPos, wantNeg [8]uint8
		cornerSigns(l, &pos, &neg)
		cornerSignsGeneric(l, &wantPos, &wantNeg)
		if pos != wantPos || neg != wantNeg {
			t.Fatalf("line %x: %b and %b, want %b and %b", *l, pos, neg, wantPos, wantNeg)
		}
		for c := range 8 {
			u := func(a int) int32 { return unitU * int32(2*(c>>a&1)-1) }
			p, n := l.signs(u(0), u(1), u(2))
			for j := 1; j < 8; j++ {
				if uint64(pos[j]>>c&1) != p>>(j-1)&1 || uint64(neg[j]>>c&1) != n>>(j-1)&1 {
					t.Fatalf("line %x, word %d, corner %d: signs differ from those at its coordinates", *l, j, c)
				}
			}
		}
	}
}

// The assembly of lookUp gives the sides and bits of the other one, for points
// in the grid, on its faces, outside, infinite and not numbers.
func TestLookUp(t *testing.T) {
	m := mesh.Sphere(5)
	rays := func(ctx context.Context) (*raycross.Caster, error) {
		x, err := m.Index(ctx, bvh.Options{})
		if err != nil {
			return nil, err
		}
		return raycross.New(x, raycross.Options{})
	}
	x, err := New(t.Context(), m, Options{Rays: rays})
	if err != nil {
		t.Fatal(err)
	}
	if x.kernel != hasAVX2 {
		t.Fatalf("the kernel is used: %v, want %v", x.kernel, hasAVX2)
	}
	// Entries that need rays are made up.
	r := rand.New(rand.NewPCG(3, 1))
	for b := range x.top {
		if r.IntN(5) == 0 {
			x.top[b] |= needsRays
		}
	}
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0, math.Copysign(0, -1), 5e-324}
	coordinate := func(low, cells float64) float64 {
		switch r.IntN(12) {
		case 0:
			return odd[r.IntN(len(odd))]
		case 1: // on the faces of cells, and around them
			v := low + float64(r.IntN(int(cells)+1))*x.cell
			for range r.IntN(3) {
				v = math.Nextafter(v, math.Inf(1-2*r.IntN(2)))
			}
			return v
		}
		return low + x.cell*cells*(1.1*r.Float64()-.05)
	}
	for n := range 300 {
		pts := make([]r3.Vector, n)
		for i := range pts {
			pts[i] = r3.Vector{X: coordinate(x.min.X, x.lim[0]), Y: coordinate(x.min.Y, x.lim[1]), Z: coordinate(x.min.Z, x.lim[2])}
		}
		got, want := make([]side.Side, n), make([]side.Side, n)
		later, wantLater := make([]uint8, (n+7)/8), make([]uint8, (n+7)/8)
		for i := range later {
			later[i], wantLater[i] = 0xff, 0xff // is overwritten
		}
		x.lookUp(got, pts, later)
		x.lookUpGeneric(want, pts, wantLater)
		for i := range pts {
			l := wantLater[i>>3] >> (i & 7) & 1
			if later[i>>3]>>(i&7)&1 != l || l == 0 && got[i] != want[i] {
				t.Fatalf("%d points, %d: %v: later %b, %v; want %b, %v", n, i, pts[i], later[i>>3], got[i], wantLater[i>>3], want[i])
			}
		}
		if n&7 != 0 && later[n>>3]>>(n&7) != 0 {
			t.Fatalf("%d points: bits beyond them: %b", n, later[n>>3])
		}
	}
}
