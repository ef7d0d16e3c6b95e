package neighbor

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

// TestListLivesAsLongAsItMay moves a body by half the skin, which must not invalidate the list. One
// more ulp must invalidate it.
func TestListLivesAsLongAsItMay(t *testing.T) {
	bodies := lattice(1, 3)
	m := NewVerletList[Sphere](VerletOptions{Skin: .5})
	update := func(want uint64, what string) {
		t.Helper()
		if err := m.Update(t.Context(), bodies); err != nil {
			t.Fatal(err)
		}
		if got := m.Stats().Rebuilds; got != want {
			t.Errorf("%s: %d lists built, want %d", what, got, want)
		}
	}
	update(1, "first step")
	update(1, "no motion")
	bodies[0].Center.X = .25
	update(1, "half the skin")
	bodies[0].Center.X = math.Nextafter(.25, 1)
	update(2, "a little more")
	bodies[5].Radius += .125
	update(2, "grown by a quarter of the skin")
	bodies[5].Center.Y += .125
	update(2, "moved by the rest")
	bodies[5].Center.Y += .001
	update(3, "moved by more")
	bodies[7].Radius = Absent()
	bodies[9].Radius = .01
	update(3, "vanished and shrunk")
	bodies[7].Radius = 1
	update(3, "back where it was")
	bodies = append(bodies, Sphere{Radius: Absent()})
	update(3, "an absent body more")
	bodies = append(bodies, Sphere{Radius: 1})
	update(4, "another body")
	bodies = bodies[:10]
	update(4, "fewer bodies")
}

// TestVerletSkinAdapts checks the skin after slow, medium and fast motion.
func TestVerletSkinAdapts(t *testing.T) {
	run := func(step float64) (lists uint64, share float64) {
		bodies := lattice(1, 3)
		m := NewVerletList[Sphere](VerletOptions{})
		for range 300 {
			for i := range bodies {
				bodies[i].Center = bodies[i].Center.Add(r3.Vector{X: step})
			}
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatal(err)
			}
		}
		return m.Stats().Rebuilds, m.now.share
	}
	if lists, share := run(1e-5); lists != 1 || share != 1./8 {
		t.Errorf("slow: %d lists, skin %g", lists, share)
	}
	// The first list lasts 0.0625/0.0005 = 125 steps, so the next skin is half as large.
	if lists, share := run(5e-4); lists < 2 || share != 1./16 {
		t.Errorf("medium: %d lists, skin %g", lists, share)
	}
	if lists, share := run(.1); lists < 90 || share != maxShare {
		t.Errorf("fast: %d lists, skin %g", lists, share)
	}
}

func TestAutoChooses(t *testing.T) {
	run := func(bodies []Sphere, step float64) Stats {
		m := NewAuto[Sphere](AutoOptions{Workers: 1})
		for range 100 {
			for i := range bodies {
				bodies[i].Center = bodies[i].Center.Add(r3.Vector{X: step})
			}
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatal(err)
			}
		}
		return m.Stats()
	}
	if s := run(lattice(1, 3), 1e-4); s.Rebuilds > 5 {
		t.Errorf("slow bodies: %+v, want few structures built", s)
	}
	s := run(lattice(1, 3), .9)
	fast := NewHierarchicalGrid[Sphere](GridOptions{})
	if err := fast.Update(t.Context(), lattice(1, 3)); err != nil {
		t.Fatal(err)
	}
	if s.Rebuilds < 90 || float64(s.Tests) > 100*2*float64(fast.Stats().Tests) {
		t.Errorf("fast bodies: %+v, want a grid in most steps, which takes %+v", s, fast.Stats())
	}
	few := run(lattice(1, 3)[:20], .9)
	if few.Rebuilds != 0 || few.Tests != 100*20*19/2 {
		t.Errorf("few bodies: %+v, want brute force", few)
	}
}

func TestBadOptionsPanic(t *testing.T) {
	for name, f := range map[string]func(){
		"skin NaN":       func() { NewVerletList[Disk](VerletOptions{Skin: math.NaN()}) },
		"skin negative":  func() { NewVerletList[Disk](VerletOptions{Skin: -1}) },
		"skin infinite":  func() { NewVerletList[Disk](VerletOptions{Skin: math.Inf(1)}) },
		"cells negative": func() { NewLinkedCell[Disk](CellOptions{CellSize: -1}) },
		"sizes fall":     func() { NewHierarchicalGrid[Disk](GridOptions{Sizes: []float64{2, 1}}) },
		"sizes NaN":      func() { NewHierarchicalGrid[Disk](GridOptions{Sizes: []float64{math.NaN()}}) },
		"sizes zero":     func() { NewHierarchicalGrid[Disk](GridOptions{Sizes: []float64{0, 1}}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestListHasWhatTouches moves two balls toward each other until they nearly touch. Each ball moves
// by half the skin, plus or minus some ulps. If the list is valid and the balls touch, the list
// must contain the pair.
func TestListHasWhatTouches(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 4))
	ulps := func() float64 { return 1 + float64(rng.IntN(9)-4)*0x1p-53 }
	tight, held := 0, 0
	for range scaled(100_000, 2_000_000) {
		h := math.Exp2(20*rng.Float64() - 10)
		then := []Sphere{{Radius: math.Exp2(20*rng.Float64() - 10)}, {Radius: math.Exp2(20*rng.Float64() - 10)}}
		now := slices.Clone(then)
		var grown [2]float64
		for i := range now {
			if rng.IntN(2) == 0 {
				now[i].Radius += h / 2 * rng.Float64()
				grown[i] = now[i].Radius - then[i].Radius
			}
		}
		d := r3.Vector{X: rng.NormFloat64(), Y: rng.NormFloat64(), Z: rng.NormFloat64()}
		if rng.IntN(3) == 0 {
			d = r3.Vector{X: 1}
		}
		d = d.Mul(1 / d.Norm())
		reach := now[0].Radius + now[1].Radius
		a, b := (h-grown[0])*ulps(), (h-grown[1])*ulps()
		then[1].Center = d.Mul((reach + a + b) * ulps())
		now[0].Center = d.Mul(a)
		now[1].Center = then[1].Center.Sub(d.Mul(b))
		if movedSpheres(then, now, h) || !touchSpheres(&now[0], &now[1]) {
			continue
		}
		held++
		if !touchSpheres(&Sphere{Center: then[0].Center, Radius: then[0].Radius + h}, &Sphere{Center: then[1].Center, Radius: then[1].Radius + h}) {
			tight++ // without the factor in inflateSpheres, the list would miss the pair
		}
		thick := make([]Sphere, 2)
		inflateSpheres(thick, then, h)
		if !touchSpheres(&thick[0], &thick[1]) {
			t.Fatalf("half the skin %g: %v, %v are not in the list; %v, %v touch", h, then[0], then[1], now[0], now[1])
		}
	}
	if tight == 0 {
		t.Errorf("none of %d pairs would be missed without the factor in inflateSpheres: the test is too easy", held)
	}
}

// TestVerletManyNewBodies adds several blocks of bodies to a list.
func TestVerletManyNewBodies(t *testing.T) {
	spheres := make([]Sphere, 4*blockSize)
	for i := range spheres {
		spheres[i] = Sphere{Center: r3.Vector{X: 1.9 * float64(i)}, Radius: 1}
	}
	for _, workers := range []int{1, 3} {
		m := NewVerletList[Sphere](VerletOptions{Workers: workers})
		update := func(bodies []Sphere, want int) {
			t.Helper()
			if err := m.Update(t.Context(), bodies); err != nil {
				t.Fatal(err)
			}
			if got := len(m.Pairs()); got != want {
				t.Fatalf("%d workers, %d bodies: %d pairs, want %d", workers, len(bodies), got, want)
			}
		}
		update(spheres[:10], 9)
		absent := slices.Clone(spheres)
		for i := 10; i < len(absent); i++ {
			absent[i].Radius = Absent()
		}
		update(absent, 9)
		if n := m.Stats().Rebuilds; n != 1 {
			t.Errorf("%d lists although no body appeared", n)
		}
		update(spheres, len(spheres)-1)
		bad := slices.Clone(spheres)
		bad[2*blockSize+5].Radius, bad[3*blockSize+7].Radius = -1, -1
		err := m.Update(t.Context(), bad)
		if want := fmt.Sprintf("body %d:", 2*blockSize+5); !errors.Is(err, ErrBody) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that names %s", err, want)
		}
		update(spheres[:20], 19)
	}
}
