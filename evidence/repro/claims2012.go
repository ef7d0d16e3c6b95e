package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// claims2012 checks statements of Ogarko and Luding 2012, §2.3, for which they show no experiment. It also
// checks whether our packings are like theirs.
func (r *Run) claims2012(ctx context.Context) ([]Statement, error) {
	periodic, err := periodicGrid(ctx, pick(r.Size, 500, 4000, 16000))
	if err != nil {
		return nil, err
	}
	long, err := elongatedBodies(ctx, pick(r.Size, 500, 10000, 50000))
	if err != nil {
		return nil, err
	}
	packing, err := r.packingStatement(ctx)
	return []Statement{periodic, long, packing}, err
}

// periodicGrid compares the pairs of the hierarchical grid in a periodic cube with a search of all pairs.
// It also compares the number of tests with that between walls.
func periodicGrid(ctx context.Context, n int) (Statement, error) {
	const ratio = 10 // the largest ball must be much smaller than the cube
	balls := scattered(packingSpec{kind: "UV", ratio: ratio, n: n, fraction: 0.62})
	sizes := neighbor.OptimalLevels(radiiOf(balls), 1, 3)
	walls, inner := paperGrid(sizes), paperGrid(sizes)
	m, err := neighbor.NewPeriodic[neighbor.Sphere](inner, neighbor.Cell{Max: r3.Vector{X: 1, Y: 1, Z: 1}, Periodic: [3]bool{true, true, true}})
	if err != nil {
		return Statement{}, err
	}
	for _, x := range []neighbor.Method[neighbor.Sphere]{walls, m} {
		if err := x.Update(ctx, balls); err != nil {
			return Statement{}, err
		}
	}
	want, err := nearestImages(ctx, balls)
	if err != nil {
		return Statement{}, err
	}
	return counted("H1.periodic", "periodic boundaries in almost the same way", "§2.3: periodic boundaries are possible in almost the same way as with linked cells.",
		fmt.Sprintf("%d balls (UV, ω = %d) in a periodic cube: %d contacts, %d by all pairs of nearest images; %.2f times the tests of hard walls.", n, ratio, len(m.Pairs()), len(want), float64(inner.stats.Tests)/float64(walls.stats.Tests)),
		"the same contacts", slices.Equal(m.Pairs(), want), Fails, "Images of balls near the sides are added to the grid; "+fmt.Sprintf("%d contacts cross a side.", len(want)-len(walls.Pairs()))).number(fmt.Sprintf("%d of %d contacts", len(m.Pairs()), len(want))), nil
}

// nearestImages returns the pairs of balls whose nearest images in the periodic unit cube touch. Diameters must
// be below a quarter of the cube, so that two balls have at most one such contact.
func nearestImages(ctx context.Context, balls []neighbor.Sphere) ([]neighbor.Pair, error) {
	var pairs []neighbor.Pair
	near := func(d float64) float64 { return d - math.Round(d) }
	for i, a := range balls {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for k := i + 1; k < len(balls); k++ {
			b := &balls[k]
			d := a.Center.Sub(b.Center)
			if reach := a.Radius + b.Radius; (r3.Vector{X: near(d.X), Y: near(d.Y), Z: near(d.Z)}).Norm2() <= reach*reach {
				pairs = append(pairs, neighbor.Pair{A: int32(i), B: int32(k)})
			}
		}
	}
	return pairs, nil
}

// elongatedBodies counts the work for elongated bodies of revolution of equal volume, for several ratios of length
// and width. The bodies are in bounding spheres, as the paper proposes, and for comparison in bounding boxes.
func elongatedBodies(ctx context.Context, n int) (Statement, error) {
	const fraction = 0.1
	radius := math.Cbrt(fraction / float64(n) * 3 / (4 * math.Pi)) // radius of a ball of the same volume
	var works, overlaps []float64
	for _, ratio := range []float64{1, 3, 10} {
		random := rand.New(rand.NewPCG(3, 2012))
		half := radius * math.Pow(ratio, 2.0/3) // half of the length of an ellipsoid with this volume
		width := half / ratio
		balls, boxes := make([]neighbor.Sphere, n), make([]bvh.Box, n)
		for i := range balls {
			balls[i] = neighbor.Sphere{Radius: half, Center: r3.Vector{X: random.Float64(), Y: random.Float64(), Z: random.Float64()}}
			axis := r3.Vector{X: random.NormFloat64(), Y: random.NormFloat64(), Z: random.NormFloat64()}.Normalize()
			extent := func(c float64) float64 { return math.Sqrt(half*half*c*c + width*width*(1-c*c)) }
			e := r3.Vector{X: extent(axis.X), Y: extent(axis.Y), Z: extent(axis.Z)}
			boxes[i] = bvh.Box{Min: balls[i].Center.Sub(e), Max: balls[i].Center.Add(e)}
		}
		w, err := workWith(ctx, balls, []float64{2 * half})
		if err != nil {
			return Statement{}, err
		}
		works = append(works, w/float64(n))
		contacts, err := contactsOf(ctx, balls)
		if err != nil {
			return Statement{}, err
		}
		apart := 0
		for _, p := range contacts {
			apart += one(!boxes[p.A].Overlaps(boxes[p.B]))
		}
		overlaps = append(overlaps, float64(apart)/float64(max(1, len(contacts))))
	}
	return counted("H1.elongated", "elongated bodies cost more", "§2.3: bounding spheres can cost performance if bodies are rather elongated.",
		fmt.Sprintf("Ellipsoids of one volume, ν = %g: with the ratios of length and width 3 and 10 the search needs %s and %s times the work of balls.", fraction, short(works[1]/works[0]), short(works[2]/works[0])),
		"above 2 for 10", works[2] > 2*works[0], Fails, fmt.Sprintf("For 10, the bounding boxes of %s of the pairs that it finds do not overlap.", percent(overlaps[2]))).number(short(works[2]/works[0]) + " times the work"), nil
}
