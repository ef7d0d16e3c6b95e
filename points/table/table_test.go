package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

// TestCountPoints checks that CountPoints and repeated calls of Add produce equal counts.
func TestCountPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}
	for round := range 200 {
		var one, all Block
		one.Start()
		all.Start()
		all.First = int64(round)
		for k := range r.IntN(20) {
			p := r3.Vector{X: r.NormFloat64(), Y: r.NormFloat64(), Z: r.NormFloat64()}
			if r.IntN(4) == 0 {
				*[]*float64{&p.X, &p.Y, &p.Z}[r.IntN(3)] = odd[r.IntN(3)]
			}
			one.Add(p, int64(round+k))
			all.Points = append(all.Points, p)
		}
		all.CountPoints()
		if one.Counts != all.Counts || len(one.Points) != len(all.Points) {
			t.Fatalf("one by one %+v\nat once   %+v", one.Counts, all.Counts)
		}
	}
}

// TestCountsAdd divides points into parts. The sum of the counts of the parts must equal the counts
// of all points.
func TestCountsAdd(t *testing.T) {
	var whole, first, second Block
	for _, b := range []*Block{&whole, &first, &second} {
		b.Start()
	}
	for k, x := range []float64{1, 2, math.NaN(), -3, math.Inf(1)} {
		p := r3.Vector{X: x, Y: -x, Z: 7}
		whole.Add(p, int64(k))
		if k < 3 {
			first.Add(p, int64(k))
		} else {
			second.Add(p, int64(k))
		}
	}
	sum := NoCounts()
	sum.Add(first.Counts)
	sum.Add(second.Counts)
	if sum != whole.Counts || sum.NonFinite != (Tally{2, 2}) || sum.Min != (r3.Vector{X: -3, Y: -2, Z: 7}) {
		t.Errorf("%+v, want %+v", sum, whole.Counts)
	}
}

// TestBlock checks the slices of answers after Resize, for a new block and for a reused block. The
// slices must be as long as Points, and the sides must be side.Unknown.
func TestBlock(t *testing.T) {
	cols := []Column{{Kind: Inside}, {Kind: Number}, {Kind: Bound}, {Kind: Integer}, {Kind: Label}, {Kind: Words}}
	var b Block
	for _, n := range []int{5, 100, 0, 3} {
		b.Start()
		b.Reserve(n)
		for k := range n {
			b.Add(r3.Vector{}, int64(k))
		}
		b.Resize(cols)
		if len(b.Sides) != n || len(b.Numbers) != 2 || len(b.Integers) != 2 || len(b.Words) != 1 || b.Drop != nil || b.Kept() != n {
			t.Fatalf("%d points: %d sides, %d, %d, %d columns", n, len(b.Sides), len(b.Numbers), len(b.Integers), len(b.Words))
		}
		for _, v := range b.Numbers {
			if len(v) != n {
				t.Errorf("%d points: %d numbers", n, len(v))
			}
		}
		drop := b.EnableDrop()
		for k := range b.Sides {
			if b.Sides[k] != 0 || drop[k] {
				t.Errorf("row %d of %d is not empty", k, n)
			}
			b.Sides[k], drop[k] = 3, k%2 == 0
		}
		if b.Kept() != n/2 {
			t.Errorf("%d of %d are kept", b.Kept(), n)
		}
	}
}

// TestCompactRecords checks that CompactRecords removes the dropped rows and keeps the order.
func TestCompactRecords(t *testing.T) {
	const size = 3
	r := rand.New(rand.NewPCG(4, 1))
	for n := range 40 {
		var b Block
		b.Points = make([]r3.Vector, n)
		var all, want []byte
		drop := make([]bool, n)
		for k := range n {
			row := []byte{byte(k), byte(k >> 8), byte(r.Uint32())}
			all = append(all, row...)
			if drop[k] = r.IntN(3) == 0; !drop[k] {
				want = append(want, row...)
			}
		}
		b.Out = append(b.Out, all...)
		if b.CompactRecords(size); !bytes.Equal(b.Out, all) {
			t.Fatalf("nothing is dropped: %v, want %v", b.Out, all)
		}
		copy(b.EnableDrop(), drop)
		for k := range n {
			if b.Dropped(k) != drop[k] {
				t.Fatalf("row %d of %v is dropped: %v", k, drop, b.Dropped(k))
			}
		}
		if b.CompactRecords(size); !bytes.Equal(b.Out, want) {
			t.Fatalf("%v, want %v without %v", b.Out, want, drop)
		}
	}
}

// TestNames checks that all names of fields and answers are different.
func TestNames(t *testing.T) {
	fields := []Field{{Name: "x"}, {Name: "inside"}, {Name: "inside_2"}}
	got := Names(fields, []Column{{Name: "inside"}, {Name: "w"}, {Name: "w"}})
	if want := []string{"inside_3", "w", "w_2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTypes(t *testing.T) {
	for typ := Text; typ <= Float64; typ++ {
		if s := typ.String(); s == "" || strings.Contains(s, "(") {
			t.Errorf("type %d is %q", typ, s)
		}
		if want := typ == Float32 || typ == Float64; typ.IsFloat() != want {
			t.Errorf("%v: IsFloat %v", typ, !want)
		}
		if typ.IsInt() != strings.Contains(typ.String(), "int") {
			t.Errorf("%v: IsInt %v", typ, typ.IsInt())
		}
		bits := 0
		fmt.Sscanf(strings.TrimLeft(typ.String(), "abcdefghijklmnopqrstuvwxyz"), "%d", &bits)
		if typ != Bool && typ.Size()*8 != bits {
			t.Errorf("%v has %d bytes", typ, typ.Size())
		}
	}
	if Type(99).String() != "Type(99)" {
		t.Error("an unknown type has a name")
	}
}
