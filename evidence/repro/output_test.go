package main

import (
	"math"
	"slices"
	"testing"
)

func TestShort(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{{0, "0"}, {1, "1.00"}, {12.345, "12.3"}, {99.96, "100"}, {123456, "123456"}, {0.012345, "0.0123"}, {1e-7, "1e-07"}, {-2.5, "-2.50"}, {3e9, "3e+09"}} {
		if got := short(c.f); got != c.want {
			t.Errorf("%v: got %q, want %q", c.f, got, c.want)
		}
	}
	if got := readable(math.NaN()); got != "–" {
		t.Errorf("NaN: got %q", got)
	}
	if got := readable("a|b"); got != `a\|b` {
		t.Errorf("got %q", got)
	}
	if got := exact(0.1); got != "0.1" {
		t.Errorf("got %q", got)
	}
}

func TestSampled(t *testing.T) {
	pts := gridPoints(unitCube, 4)
	all, index, share := sampled(pts, 10, 640)
	if len(all) != 64 || share != 1 || index[63] != 63 {
		t.Errorf("%d points, share %v, want all 64", len(all), share)
	}
	some, index, share := sampled(pts, 10, 160)
	if len(some) != 16 || share != 4 || index[0] != 2 || index[15] != 62 {
		t.Errorf("%d points from %v, share %v, want 16, every fourth from the third on", len(some), index, share)
	}
}

func TestPackingFile(t *testing.T) {
	r := &Run{Size: Tiny, Threads: 1, Cache: t.TempDir()}
	rec := packingSpec{"UV", 3, 100, 0.1, 2}
	made, err := r.packing(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	read, err := r.packing(t.Context(), rec)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(made.balls, read.balls) || !slices.Equal(made.velocities, read.velocities) || made.seconds != read.seconds {
		t.Error("the packing that was read is not the one that was written")
	}
	volume := 0.0
	for _, b := range read.balls {
		volume += 4 * math.Pi / 3 * b.Radius * b.Radius * b.Radius
	}
	if math.Abs(volume-0.1) > 1e-12 {
		t.Errorf("volume fraction %v, want 0.1", volume)
	}
}
