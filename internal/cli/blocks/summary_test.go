package blocks

import (
	"math"
	"slices"
	"testing"
)

// The summary names the volume in the model, that of the whole solid, and where the rest is.
func TestVolumeLines(t *testing.T) {
	nan := math.NaN()
	frame, input := &run{flags: &flags{}}, &run{flags: &flags{}, input: &tableInput{}}
	for _, x := range []struct {
		name   string
		run    *run
		volume solidVolume
		want   []string
	}{
		{"all", frame, solidVolume{10, 1e-9, 10, 1e-9, 0, 0, false}, []string{"ore: volume 10 ± 1e-09 in the model; 10 ± 1e-09 in all"}},
		{"outside", frame, solidVolume{7999.81, 0.01, 687986, 0.02, 1 - 7999.81/687986, 1e-8, false},
			[]string{"ore: volume 7,999.81 ± 0.01 in the model; 687,986 ± 0.02 in all", "98.8 % of ore is outside the model"}},
		{"priority", frame, solidVolume{203954, 0.01, 350675, 0.02, 0, 0, true},
			[]string{"ore: volume 203,954 ± 0.01 in the model after priorities; 350,675 ± 0.02 in all", "41.8 % of ore goes to solids of higher priority"}},
		{"both", frame, solidVolume{25, 0, 100, 0, 0.5, 0.002, true},
			[]string{"ore: volume 25 ± 0 in the model after priorities; 100 ± 0 in all", "50 ± 0.2 % of ore is outside the model", "25 ± 0.2 % of ore goes to solids of higher priority"}},
		{"within the bound", frame, solidVolume{99, 2, 100, 1, 0.01, 0.03, true}, []string{"ore: volume 99 ± 2 in the model after priorities; 100 ± 1 in all"}},
		{"no volume", frame, solidVolume{0, 0, 0, 0, 0, 1, true}, []string{"ore: volume 0 ± 0 in the model after priorities; 0 ± 0 in all"}},
		{"table", input, solidVolume{25, 0, 100, 0, 0.75, 1e-15, false}, []string{"ore: volume 25 ± 0 in the blocks; 100 ± 0 in all", "75 % of ore is outside the blocks"}},
		{"table with priorities", input, solidVolume{25, 0, 100, 0, nan, nan, true},
			[]string{"ore: volume 25 ± 0 in the blocks after priorities; 100 ± 0 in all", "75 % of ore is outside the blocks or goes to solids of higher priority"}},
		{"overlap", input, solidVolume{125, 1, 100, 1, -0.25, 0.02, false}, []string{"ore: volume 125 ± 1 in the blocks; 100 ± 1 in all", "blocks overlap: they have more of ore than there is"}},
	} {
		if got := x.run.volumeLines("ore", &x.volume); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

// The bound of the missing share holds for all volumes within their bounds.
func TestMissing(t *testing.T) {
	for _, v := range []solidVolume{{modeled: 25, modeledBound: 3, whole: 100, wholeBound: 9}, {modeled: 0, modeledBound: 1, whole: 10, wholeBound: 2}, {modeled: 120, modeledBound: 1, whole: 100, wholeBound: 1}} {
		x, e := v.missing()
		for _, m := range []float64{v.modeled - v.modeledBound, v.modeled + v.modeledBound} {
			for _, w := range []float64{v.whole - v.wholeBound, v.whole + v.wholeBound} {
				if exact := 1 - m/w; math.Abs(exact-x) > e {
					t.Errorf("%+v: %g ± %g, but %g is possible", v, x, e, exact)
				}
			}
		}
	}
	if x, e := (&solidVolume{whole: 1, wholeBound: 1}).missing(); x != 0 || e != 1 {
		t.Errorf("unknown volume: %g ± %g", x, e)
	}
}

// Wide bounds have a line with the flag that makes them smaller.
func TestBoundLines(t *testing.T) {
	tight, wide := solidVolume{modeled: 1, modeledBound: 1e-11, whole: 1, wholeBound: 1e-11}, solidVolume{modeled: 1, modeledBound: 1e-2, whole: 1}
	nothing := solidVolume{modeled: 0, modeledBound: 1e-9, whole: 1e5}
	r := &run{flags: &flags{levels: 3}}
	if got := r.boundLines([]solidVolume{tight, nothing}); got != nil {
		t.Errorf("tight bounds: %q", got)
	}
	const cause = "wide bounds: if faces cross or touch others, or if a mesh is open, "
	if got := r.boundLines([]solidVolume{tight, wide}); !slices.Equal(got, []string{cause + "--levels 4 halves them"}) {
		t.Errorf("wide bounds: %q", got)
	}
	r.flags.levels = 8
	if got := r.boundLines([]solidVolume{wide}); !slices.Equal(got, []string{cause + "smaller blocks halve them"}) {
		t.Errorf("all levels: %q", got)
	}
}
