package dem

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

var unitBox = bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}

func TestPackSpheres(t *testing.T) {
	for _, row := range []struct {
		name     string
		sizes    []float64
		fraction float64
		long     bool
	}{
		{"one ball", []float64{7}, .5, false},
		{"monodisperse, loose", slices.Repeat([]float64{2}, 1000), .4, false},
		{"monodisperse, annealed", slices.Repeat([]float64{1}, 700), .54, false},
		{"monodisperse, dense", slices.Repeat([]float64{1}, 5000), .62, true},
		{"uniform volume, ratio 10", UniformVolume(2000, 10, 1), .62, false},
		{"uniform volume, ratio 50", UniformVolume(20_000, 50, 1), .62, true},
		{"uniform size, ratio 50", UniformSize(4000, 50, 1), .62, true},
		{"two sizes", Bidisperse(6000, 5, 1), .62, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.long && !full {
				// Without INPOLY_FULL, the test packs only an eighth of the balls, at a lower
				// volume fraction.
				row.sizes, row.fraction = row.sizes[:len(row.sizes)/8], .5
			}
			balls, err := PackSpheres(t.Context(), unitBox, row.sizes, PackOptions{Fraction: row.fraction, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			checkPacking(t, balls, row.sizes, row.fraction)
		})
	}
}

func checkPacking(t *testing.T, balls []neighbor.Sphere, sizes []float64, fraction float64) {
	t.Helper()
	if len(balls) != len(sizes) {
		t.Fatalf("%d balls, want %d", len(balls), len(sizes))
	}
	volume := 0.
	for i, b := range balls {
		volume += 4 * math.Pi / 3 * b.Radius * b.Radius * b.Radius
		if want := sizes[i] / sizes[0]; math.Abs(b.Radius/balls[0].Radius-want) > 1e-12*want {
			t.Errorf("ball %d of size %v has the radius %v, ball 0 of size %v %v", i, sizes[i], b.Radius, sizes[0], balls[0].Radius)
		}
		c := b.Center
		if min(c.X, c.Y, c.Z) < b.Radius*(1-1e-15) || max(c.X, c.Y, c.Z) > 1-b.Radius*(1-1e-15) {
			t.Errorf("ball %d at %v of radius %v passes a wall", i, c, b.Radius)
		}
		for j := range i {
			if d := c.Sub(balls[j].Center).Norm(); d < (b.Radius+balls[j].Radius)*(1-1e-15) {
				t.Errorf("balls %d and %d overlap", j, i)
			}
		}
	}
	if math.Abs(volume-fraction) > 1e-12 {
		t.Errorf("volume fraction %v, want %v", volume, fraction)
	}
}

func TestPackDisks(t *testing.T) {
	box := neighbor.Rect{Min: r2.Point{X: -3, Y: 2}, Max: r2.Point{X: 1, Y: 4}}
	sizes := make([]float64, 975)
	for i, s := range UniformSize(len(sizes), 3, 1) {
		sizes[i] = s / 2 // uniform in [.5, 1.5], as in §3.1 of Muth, Müller, Eberhard, Luding 2007
	}
	const fraction = .678
	disks, err := PackDisks(t.Context(), box, sizes, PackOptions{Fraction: fraction, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	area := 0.
	for i, d := range disks {
		area += math.Pi * d.Radius * d.Radius
		if want := sizes[i] / sizes[0]; math.Abs(d.Radius/disks[0].Radius-want) > 1e-12*want {
			t.Errorf("disk %d of size %v has the radius %v", i, sizes[i], d.Radius)
		}
		c, r := d.Center, d.Radius*(1-1e-15)
		if c.X < -3+r || c.X > 1-r || c.Y < 2+r || c.Y > 4-r {
			t.Errorf("disk %d at %v of radius %v passes a wall", i, c, r)
		}
		for j := range i {
			if c.Sub(disks[j].Center).Norm() < (d.Radius+disks[j].Radius)*(1-1e-15) {
				t.Errorf("disks %d and %d overlap", j, i)
			}
		}
	}
	if math.Abs(area/8-fraction) > 1e-12 {
		t.Errorf("area fraction %v, want %v", area/8, fraction)
	}
}

func TestPackDependsOnSeedOnly(t *testing.T) {
	sizes := UniformVolume(1500, 4, 3)
	pack := func(seed uint64, workers int) uint64 {
		balls, err := PackSpheres(t.Context(), unitBox, sizes, PackOptions{Fraction: .56, Seed: seed, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		return hash(balls)
	}
	first := pack(1, 1)
	for _, workers := range []int{2, 3} {
		if pack(1, workers) != first {
			t.Errorf("%d workers make another packing", workers)
		}
	}
	if pack(2, 1) == first {
		t.Error("another seed makes the same packing")
	}
}

func TestPackBadInput(t *testing.T) {
	nan := math.NaN()
	for _, row := range []struct {
		name  string
		walls bvh.Box
		sizes []float64
		o     PackOptions
		want  error
		text  string
	}{
		{"no fraction", unitBox, []float64{1}, PackOptions{}, ErrOptions, "fraction"},
		{"full", unitBox, []float64{1}, PackOptions{Fraction: 1}, ErrOptions, "fraction"},
		{"NaN fraction", unitBox, []float64{1}, PackOptions{Fraction: nan}, ErrOptions, "fraction"},
		{"negative steps", unitBox, []float64{1}, PackOptions{Fraction: .1, Steps: -1}, ErrOptions, "steps"},
		{"no walls", bvh.Box{}, []float64{1}, PackOptions{Fraction: .1}, ErrOptions, "walls"},
		{"infinite walls", bvh.Box{Max: r3.Vector{X: math.Inf(1), Y: 1, Z: 1}}, []float64{1}, PackOptions{Fraction: .1}, ErrOptions, "walls"},
		{"NaN walls", bvh.Box{Max: r3.Vector{X: nan, Y: 1, Z: 1}}, []float64{1}, PackOptions{Fraction: .1}, ErrOptions, "walls"},
		{"empty walls", bvh.EmptyBox(), []float64{1}, PackOptions{Fraction: .1}, ErrOptions, "walls"},
		{"no sizes", unitBox, nil, PackOptions{Fraction: .1}, ErrOptions, "no particle sizes"},
		{"zero size", unitBox, []float64{1, 0}, PackOptions{Fraction: .1}, ErrParticle, "particle 1"},
		{"NaN size", unitBox, []float64{1, 2, nan}, PackOptions{Fraction: .1}, ErrParticle, "particle 2"},
		{"too large", unitBox, []float64{1e-9, 1}, PackOptions{Fraction: .53}, ErrParticle, "particle 1"},
		{"too dense", unitBox, []float64{1, 1}, PackOptions{Fraction: .5, Steps: 200}, ErrJammed, "the largest fraction without overlaps is"},
	} {
		balls, err := PackSpheres(t.Context(), row.walls, row.sizes, row.o)
		checkError(t, row.name, err, row.want, row.text)
		if balls != nil {
			t.Errorf("%s: balls and an error", row.name)
		}
	}
	_, err := PackDisks(t.Context(), neighbor.Rect{}, []float64{1}, PackOptions{Fraction: .1})
	checkError(t, "disks without walls", err, ErrOptions, "walls")
	_, err = PackDisks(t.Context(), neighbor.Rect{Max: r2.Point{X: 1, Y: 1}}, []float64{}, PackOptions{Fraction: .1})
	checkError(t, "no disks", err, ErrOptions, "no particle sizes")
	for _, calls := range []int{0, 1, 10, 3000} {
		_, err := PackSpheres(&doneAfter{Context: t.Context(), calls: calls}, unitBox, []float64{1, 1}, PackOptions{Fraction: .5, Workers: 1})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	}
}

func TestSizes(t *testing.T) {
	const n, ratio = 10_000, 50.
	for _, row := range []struct {
		name         string
		sizes        []float64
		moment, want float64 // want is the expected mean of size^moment
	}{
		{"uniform volume", UniformVolume(n, ratio, 1), 1, 2 / (1 + 1/ratio)},
		{"uniform size", UniformSize(n, ratio, 1), 1, (1 + ratio) / 2},
		{"uniform size", UniformSize(n, ratio, 1), 2, (ratio*ratio + ratio + 1) / 3},
	} {
		sum := 0.
		for _, s := range row.sizes {
			sum += math.Pow(s, row.moment) / n
		}
		if math.Abs(sum/row.want-1) > 1e-3 {
			t.Errorf("%s: moment %v is %v, want %v", row.name, row.moment, sum, row.want)
		}
		if least := slices.Min(row.sizes); least < 1 || least > 1.01 {
			t.Errorf("%s: least size %v", row.name, least)
		}
		if most := slices.Max(row.sizes); most > ratio || most < ratio*.9 && row.name == "uniform size" {
			t.Errorf("%s: largest size %v", row.name, most)
		}
		if slices.IsSorted(row.sizes) {
			t.Errorf("%s: sizes in order", row.name)
		}
	}
	// The balls in four radius intervals of equal length must have equal total volumes.
	var volume [4]float64
	for _, s := range UniformVolume(1_000_000, 5, 2) {
		volume[min(3, int(s-1))] += s * s * s
	}
	for i, v := range volume {
		if math.Abs(v/volume[0]-1) > .01 {
			t.Errorf("volumes %v: that of interval %d differs", volume, i)
		}
	}
	// 8 balls of radius 1 have the volume of a ball of radius 2.
	large := 0
	for _, s := range Bidisperse(9000, 2, 1) {
		if s == 2 {
			large++
		} else if s != 1 {
			t.Fatalf("size %v, want 1 or 2", s)
		}
	}
	if large != 1000 {
		t.Errorf("%d large balls, want 1000", large)
	}
	if s := Bidisperse(10, 50, 1); slices.Max(s) != 50 || slices.Min(s) != 1 {
		t.Errorf("sizes %v: one kind is missing", s)
	}
	if !slices.Equal(UniformVolume(9, 3, 4), UniformVolume(9, 3, 4)) || slices.Equal(UniformVolume(9, 3, 4), UniformVolume(9, 3, 5)) {
		t.Error("the order does not depend on the seed alone")
	}
}

// TestThermal checks that all degrees of freedom have the same mean energy. It also checks that the
// temperature fits the requested overlap in a dilute gas.
func TestThermal(t *testing.T) {
	sizes := UniformVolume(20_000, 3, 1)
	var balls []neighbor.Sphere
	var disks []neighbor.Disk
	for i, s := range sizes {
		balls = append(balls, neighbor.Sphere{Center: r3.Vector{X: 9 * float64(i)}, Radius: s})
		disks = append(disks, neighbor.Disk{Center: r2.Point{X: 9 * float64(i)}, Radius: s})
	}
	o := Options{TimeStep: 1, Stiffness: 7, Density: 3}
	const overlap = .01
	want := 2 * o.Stiffness * overlap * overlap / math.Pi // expected kT if the smallest radius is 1
	v, err := ThermalSpheres(balls, overlap, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	u, err := ThermalDisks(disks, overlap, o, 1)
	if err != nil {
		t.Fatal(err)
	}
	var small, large, plane float64 // means of mass·velocity² for each degree of freedom
	for i, s := range sizes {
		e := sphereMass(s, 3) * v[i].Norm2() / 3 / float64(len(sizes)) * 2
		if s < 1/math.Sqrt(1-.5*(1-1./9)) { // the radius is below the median
			small += e
		} else {
			large += e
		}
		plane += diskMass(s, 3) * dot(u[i], u[i]) / 2 / float64(len(sizes))
	}
	for name, got := range map[string]float64{"small balls": small, "large balls": large, "disks": plane} {
		if math.Abs(got/want-1) > .05 {
			t.Errorf("%s: kT is %v, want %v", name, got, want)
		}
	}
	for _, row := range []struct {
		overlap, radius float64
		want            error
	}{{0, 1, ErrOptions}, {math.NaN(), 1, ErrOptions}, {.1, 0, ErrParticle}, {.1, math.NaN(), ErrParticle}} {
		_, err := ThermalSpheres([]neighbor.Sphere{{Radius: row.radius}}, row.overlap, o, 1)
		checkError(t, "thermal", err, row.want, "")
	}
}

// TestElasticRelaxation repeats the preparation of Ogarko and Luding 2012, §4.2: a packing becomes
// a gas of soft balls with the requested overlaps.
func TestElasticRelaxation(t *testing.T) {
	balls, err := PackSpheres(t.Context(), unitBox, slices.Repeat([]float64{1}, 1000), PackOptions{Fraction: .45, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	const overlap = .01
	r := balls[0].Radius
	o := Options{TimeStep: ContactTime(sphereMass(r, 1)/2, 1, 0) / 30, Stiffness: 1, Workers: 1}
	v, err := ThermalSpheres(balls, overlap, o, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := newSpheres(t, SphereScene{Balls: balls, Velocities: v, Walls: unitBox}, fast[neighbor.Sphere](1), o)
	before := w.Energy()
	if before.Elastic != 0 {
		t.Errorf("elastic energy %v at first, want none", before.Elastic)
	}
	deepest := map[neighbor.Pair]float64{}
	sum, ended := 0., 0
	for range 1500 {
		walk(t, w, 1)
		now := map[neighbor.Pair]float64{}
		for _, p := range w.touching() {
			d := 2*r - w.Balls()[p.A].Center.Sub(w.Balls()[p.B].Center).Norm()
			now[p] = max(deepest[p], d)
		}
		for p, d := range deepest {
			if _, ok := now[p]; !ok {
				sum, ended = sum+d, ended+1
			}
		}
		deepest = now
	}
	if ended < 2000 {
		t.Fatalf("%d collisions: the test says little", ended)
	}
	// The tolerance is large because part of the energy is in the springs, and because the test
	// does not count contacts that last beyond the end of the run.
	if got := sum / float64(ended) / r; math.Abs(got/overlap-1) > .15 {
		t.Errorf("%d collisions with overlaps of %.4f on average, want %v", ended, got, overlap)
	}
	if e := w.Energy().Total() / before.Total(); math.Abs(e-1) > 1e-3 {
		t.Errorf("energy is %v of what it was", e)
	}
}

// TestPackPeriodic checks periodic packings: no ball overlaps an image of another ball, and balls reach
// through the sides.
func TestPackPeriodic(t *testing.T) {
	for _, row := range []struct {
		name     string
		sizes    []float64
		fraction float64
		axes     [3]bool
	}{
		{"one ball", []float64{7}, .5, [3]bool{true, true, true}},
		{"one ball as large as the cell", []float64{1}, math.Pi / 6 * (1 - 1e-9), [3]bool{true, true, true}},
		{"monodisperse", slices.Repeat([]float64{1}, 200), .58, [3]bool{true, true, true}},
		{"ratio 5, one periodic axis", UniformVolume(600, 5, 1), .5, [3]bool{false, true, false}},
		{"ratio 10", UniformVolume(500, 10, 1), .62, [3]bool{true, true, true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := PackOptions{Fraction: row.fraction, Seed: 1, Periodic: row.axes}
			balls, err := PackSpheres(t.Context(), unitBox, row.sizes, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 3} {
				o.Workers = workers
				again, err := PackSpheres(t.Context(), unitBox, row.sizes, o)
				if err != nil || hash(again) != hash(balls) {
					t.Errorf("another packing on %d workers, error %v", workers, err)
				}
			}
			volume, across := 0., 0
			for i, a := range balls {
				volume += sphereMass(a.Radius, 1)
				for k, x := range []float64{a.Center.X, a.Center.Y, a.Center.Z} {
					r := a.Radius * (1 - 1e-15)
					if x < 0 || x > 1 || !row.axes[k] && (x < r || x > 1-r) {
						t.Errorf("ball %d at %v of radius %v is outside", i, a.Center, a.Radius)
					}
					if row.axes[k] && (x < r || x > 1-r) {
						across++
					}
				}
				for j, b := range balls[:i+1] {
					for image := range 27 {
						s := r3.Vector{X: float64(image%3 - 1), Y: float64(image/3%3 - 1), Z: float64(image/9 - 1)}
						if s.X != 0 && !row.axes[0] || s.Y != 0 && !row.axes[1] || s.Z != 0 && !row.axes[2] || i == j && image == 13 {
							continue
						}
						if d := b.Center.Add(s).Sub(a.Center).Norm(); d < (a.Radius+b.Radius)*(1-1e-14) {
							t.Errorf("balls %d and %d overlap", j, i)
						}
					}
				}
			}
			if math.Abs(volume-row.fraction) > 1e-12 {
				t.Errorf("volume fraction %v, want %v", volume, row.fraction)
			}
			if across == 0 {
				t.Error("no ball reaches through a side")
			}
		})
	}
	box := neighbor.Rect{Max: r2.Point{X: 2, Y: 1}}
	sizes := UniformSize(300, 3, 1)
	disks, err := PackDisks(t.Context(), box, sizes, PackOptions{Fraction: .75, Periodic: [3]bool{true, true}})
	if err != nil {
		t.Fatal(err)
	}
	w := newDisks(t, DiskScene{Disks: disks, Walls: box, Periodic: [2]bool{true, true}}, bruteDisks(), planeOptions)
	if e := w.Energy().Elastic; e > 1e-20 {
		t.Errorf("periodic disks overlap: elastic energy %v", e)
	}
	_, err = PackDisks(t.Context(), box, sizes, PackOptions{Fraction: .75, Periodic: [3]bool{false, false, true}})
	checkError(t, "disks along z", err, ErrOptions, "axis z")
	_, err = PackSpheres(t.Context(), unitBox, []float64{1}, PackOptions{Fraction: .6, Periodic: [3]bool{true, true, true}})
	checkError(t, "ball larger than the cell", err, ErrParticle, "must fit")
}
