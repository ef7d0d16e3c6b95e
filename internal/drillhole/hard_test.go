package drillhole

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"
)

// TestHardPaths compares paths of all sizes with the exact curves: nearly opposite directions, vertical
// holes, courses of one unit of the last place, huge collars, and depths far below and above 1.
func TestHardPaths(t *testing.T) {
	count := 100
	if os.Getenv("INPOLY_FULL") == "1" {
		count = 5000
	}
	paths, refused := 0, 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		size := math.Pow(10, []float64{-200, -12, 0, 3, 9}[r.IntN(5)])
		angle := func(limit float64) float64 {
			switch r.IntN(4) {
			case 0:
				return limit * float64(r.IntN(3)-1)
			case 1:
				return limit / 2 * float64(r.IntN(5)-2)
			}
			return limit * (2*r.Float64() - 1)
		}
		stations := []Station{{0, 180 + angle(180), angle(90)}}
		for range 1 + r.IntN(4) {
			last := stations[len(stations)-1]
			s := Station{last.Depth + size*r.Float64(), 180 + angle(180), angle(90)}
			switch r.IntN(6) {
			case 0: // nearly the same direction
				s.Azimuth, s.Dip = last.Azimuth, math.Nextafter(last.Dip, 0)
			case 1: // nearly opposite
				s.Azimuth, s.Dip = math.Mod(last.Azimuth+180, 360), math.Max(-90, math.Min(90, -last.Dip+1e-7*r.Float64()))
			case 2:
				s.Depth = math.Nextafter(last.Depth, math.Inf(1))
			}
			if s.Depth > last.Depth {
				stations = append(stations, s)
			}
		}
		last := stations[len(stations)-1].Depth
		end := last + size*float64(r.IntN(2))
		if end == 0 {
			continue
		}
		collar := r3.Vector{X: angle(1) * 1e6, Y: angle(1) * size, Z: math.Ldexp(angle(1), r.IntN(100)-50)}
		method := Method(r.IntN(3))
		chord := size * math.Pow(10, -float64(r.IntN(7)))
		path, err := Desurvey(collar, stations, end, method, chord)
		if errors.Is(err, ErrReversal) {
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		paths++
		n := len(path.Points)
		if path.Points[0] != collar || path.Depths[0] != 0 || path.Depths[n-1] != end {
			t.Fatalf("seed %d: from %v at %v to %v, want %v, 0, %v", seed, path.Points[0], path.Depths[0], path.Depths[n-1], collar, end)
		}
		for range 6 {
			i := r.IntN(n - 1)
			lo, hi := path.Depths[i], path.Depths[i+1]
			if hi < lo {
				t.Fatalf("seed %d: the depths descend", seed)
			}
			if hi == lo {
				continue
			}
			for _, depth := range []float64{lo + (hi-lo)/2, hi} {
				if d := distanceBig(pointBig(collar, stations, end, depth, method), &path, i, depth); !(d <= path.Bound) {
					t.Fatalf("seed %d: %v, chord %g, collar %v, %v to %v: distance %g at depth %v, bound %g", seed, method, chord, collar, stations, end, d, depth, path.Bound)
				}
			}
		}
	}
	t.Logf("%d paths, %d refused", paths, refused)
}
