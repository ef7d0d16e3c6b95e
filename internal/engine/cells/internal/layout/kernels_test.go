package layout

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/side"
)

// The generated assembly code uses these offsets and constants.
func TestKernelLayout(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("assembly code exists only for 64-bit processors")
	}
	var g kernelArgs
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
		{"Value of a Word", unsafe.Offsetof(Word{}.Value), 8},
		{"size of a Word", unsafe.Sizeof(Word{}), 16},
		{"size of a Record", unsafe.Sizeof(Record{}), 64},
		{"size of a point", unsafe.Sizeof(r3.Vector{}), 24},
		{"Outside", uintptr(side.Outside), 1},
		{"Inside", uintptr(side.Inside), 3},
		{"SignBound", SignBound, 1 << 17},
		{"CoordUnit", CoordUnit, 1<<14 - 1},
		{"BrickSide", BrickSide, 8},
		{"TopRayOnly", TopRayOnly, 4},
		{"point of Lanes", unsafe.Offsetof(Lanes{}.point), 288},
		{"other of Lanes", unsafe.Offsetof(Lanes{}.other), 384},
		{"size of Lanes", unsafe.Sizeof(Lanes{}), 480},
	} {
		if f.got != f.want {
			t.Errorf("%s is %d, the assembly has %d", f.name, f.got, f.want)
		}
	}
}

func randomRecord(r *rand.Rand) *Record {
	l := new(Record)
	extremes := []uint64{0, 0x8001, 0x7fff, 1, 0xffff}
	for j := range l {
		for k := range 4 {
			w := r.Uint64() & 0xffff
			if w == 0x8000 || r.IntN(3) == 0 { // −2^15 cannot be a coefficient
				w = extremes[r.IntN(len(extremes))]
			}
			l[j] |= w << (16 * k)
		}
		if r.IntN(6) == 0 {
			l[j] = NoPlane
		}
	}
	return l
}

func TestPlaneSigns(t *testing.T) {
	if !hasAVX2 {
		t.Skip("without AVX2 there is one implementation")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 200 {
		records, at := make([]*Record, n), make([]uint64, n)
		for i := range records {
			records[i] = randomRecord(r)
			u := func() int32 {
				if r.IntN(4) == 0 {
					return []int32{-CoordUnit, 0, CoordUnit}[r.IntN(3)]
				}
				return r.Int32N(2*CoordUnit+1) - CoordUnit
			}
			at[i] = Pack(u(), u(), u())
		}
		got, want := make([]uint16, n), make([]uint16, n)
		PlaneSigns(records, at, got)
		planeSignsGeneric(records, at, want)
		for i := range want {
			// Bit 0 of each byte of signs belongs to the header of the record and has no meaning.
			if got[i]&0xfefe != want[i]&0xfefe {
				t.Fatalf("record %x at %x: %b, want %b", *records[i], at[i], got[i], want[i])
			}
			if p, q := recordSigns(records[i], at[i]); p != uint64(want[i]&0xff>>1) || q != uint64(want[i]>>9) {
				t.Fatalf("record %x at %x: %b and %b, want %b", *records[i], at[i], p, q, want[i])
			}
		}
	}
}

// CellSigns equals PlaneSigns for points with one record.
func TestCellSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		n := r.IntN(40)
		record, records, at := randomRecord(r), make([]*Record, n), make([]uint64, n)
		for i := range at {
			u := func() int32 { return r.Int32N(2*CoordUnit+1) - CoordUnit }
			records[i], at[i] = record, Pack(u(), u(), u())
		}
		got, generic, want := make([]uint16, n), make([]uint16, n), make([]uint16, n)
		CellSigns(record, at, got)
		cellSignsGeneric(record, at, generic)
		planeSignsGeneric(records, at, want)
		for i := range want {
			if got[i]&0xfefe != want[i]&0xfefe || generic[i]&0xfefe != want[i]&0xfefe {
				t.Fatalf("record %x at %x: %b and %b, want %b", *record, at[i], got[i], generic[i], want[i])
			}
		}
	}
}

func TestCornerSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 5000 {
		l := randomRecord(r)
		var pos, neg, wantPos, wantNeg [8]uint8
		CornerSigns(l, &pos, &neg)
		cornerSignsGeneric(l, &wantPos, &wantNeg)
		if pos != wantPos || neg != wantNeg {
			t.Fatalf("record %x: %b and %b, want %b and %b", *l, pos, neg, wantPos, wantNeg)
		}
		for c := range 8 {
			u := func(a int) int32 { return CoordUnit * int32(2*(c>>a&1)-1) }
			p, n := l.Signs(u(0), u(1), u(2))
			for j := 1; j < 8; j++ {
				if uint64(pos[j]>>c&1) != p>>(j-1)&1 || uint64(neg[j]>>c&1) != n>>(j-1)&1 {
					t.Fatalf("record %x, element %d, corner %d: signs differ from PlaneSigns at the corner", *l, j, c)
				}
			}
		}
	}
}

func randomGrid(r *rand.Rand) *Grid {
	box := bvh.Box{Min: r3.Vector{X: -1, Y: -0.7, Z: -1.2}, Max: r3.Vector{X: 1.1, Y: 1, Z: 0.8}}
	g := &Grid{Frame: NewFrame(box, 0.03, [3]float64{0.3819, 0.2937, 0.4419}, 1.2)}
	const stored = 40
	for range g.Bricks() {
		e := r.Uint32N(stored)<<3 | r.Uint32N(4)
		if r.IntN(5) == 0 {
			e |= TopRayOnly
		}
		g.Top = append(g.Top, e)
	}
	for range stored * BrickSide {
		w := Word{Crossed: r.Uint64() & r.Uint64(), Value: r.Uint64()}
		w.Value &^= w.Crossed
		g.Words = append(g.Words, w)
	}
	g.PrepareLookUp()
	return g
}

// lookUpOne finds the answer of LookUp for a point with the given cell coordinates.
func lookUpOne(g *Grid, x, y, z float64) (d side.Side, later bool) {
	if !g.Contains(x, y, z) {
		return 0, true
	}
	entry, word, bit := g.Find(int32(x), int32(y), int32(z))
	w := g.Words[word]
	return Label(entry, w.Value>>bit), w.Crossed>>bit&1 == 1 || entry&TopRayOnly != 0
}

// TestLookUp compares LookUp with lookUpOne. The Go code of LookUp rounds the coordinates. The
// points lie in cells, on faces of cells, and outside of the grid. Some coordinates are infinite or
// NaN.
func TestLookUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	g := randomGrid(r)
	if g.useKernel != hasAVX2 {
		t.Fatalf("kernel used: %v, want %v", g.useKernel, hasAVX2)
	}
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 0, math.Copysign(0, -1), 5e-324}
	coordinate := func(low, cells float64) float64 {
		switch r.IntN(12) {
		case 0:
			return odd[r.IntN(len(odd))]
		case 1: // a point on a face of a cell, or next to the face
			v := low + float64(r.IntN(int(cells)+1))*g.Cell
			for range r.IntN(3) {
				v = math.Nextafter(v, math.Inf(1-2*r.IntN(2)))
			}
			return v
		}
		return low + g.Cell*cells*(1.1*r.Float64()-.05)
	}
	for n := range 300 {
		pts := make([]r3.Vector, n)
		for i := range pts {
			pts[i] = r3.Vector{X: coordinate(g.Min.X, g.Cells[0]), Y: coordinate(g.Min.Y, g.Cells[1]), Z: coordinate(g.Min.Z, g.Cells[2])}
		}
		for _, assembly := range []bool{false, g.useKernel} {
			got, later := make([]side.Side, n), make([]uint8, (n+7)/8)
			for i := range later {
				later[i] = 0xff // LookUp must overwrite these bits
			}
			whole := 0 // the assembly code leaves the last points to the Go code
			if assembly {
				whole = n &^ 7
				g.LookUp(got, pts, later)
			} else {
				g.lookUpGeneric(got, pts, later)
			}
			for i, p := range pts {
				x, y, z := g.Coords(p)
				if i >= whole {
					x, y, z = math.RoundToEven(x*0x1p24)*0x1p-24, math.RoundToEven(y*0x1p24)*0x1p-24, math.RoundToEven(z*0x1p24)*0x1p-24
				}
				d, l := lookUpOne(g, x, y, z)
				if (later[i>>3]>>(i&7)&1 == 1) != l || !l && got[i] != d {
					t.Fatalf("%d points, point %d at %v, assembly %v: later %b, side %v; want later %v, side %v", n, i, p, assembly, later[i>>3], got[i], l, d)
				}
			}
			if n&7 != 0 && later[n>>3]>>(n&7) != 0 {
				t.Fatalf("%d points: bits beyond the last point are set: %b", n, later[n>>3])
			}
		}
	}
}
