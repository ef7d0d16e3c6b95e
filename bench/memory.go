package main

import (
	"fmt"
	"math"
	"sync"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

// memoryTable measures the upper limit of the rate for points in memory: reading the 24 bytes of
// each point and writing its byte; for a grid, writing alone.
func (b *bench) memoryTable() error {
	header("<limit of memory", "points", "one thread", "all threads", "<min–max", "GB/s")
	sizes := []int{1_000_000, 10_000_000}
	if b.quick {
		sizes = []int{10_000}
	}
	for _, n := range sizes {
		pts, sides := cube(n, 1, 1), make([]side.Side, n)
		for _, c := range []struct {
			name  string
			bytes int
			work  func(lo, hi int)
		}{
			{"read 24 bytes, write 1", 25, func(lo, hi int) { touch(sides[lo:hi], pts[lo:hi]) }},
			{"write 1 byte", 1, func(lo, hi int) { fill(sides[lo:hi], side.Inside) }},
		} {
			var one, all rates
			for range b.reps {
				for _, threads := range []int{1, b.threads} {
					t, err := b.call(nothing, func() error {
						split(n, threads, c.work)
						return nil
					})
					if err != nil {
						return err
					}
					if threads == 1 {
						one = append(one, perSecond(n, t))
					}
					if threads == b.threads {
						all = append(all, perSecond(n, t))
					}
				}
			}
			fmt.Printf("| %s | %d | %.0f | %.0f | %s | %.1f |\n",
				c.name, n, one.median(), all.median(), all.spread(), all.median()*float64(c.bytes)/1e3)
		}
	}
	return nil
}

// split gives each thread one part of [0, n).
func split(n, threads int, work func(lo, hi int)) {
	var wg sync.WaitGroup
	for k := range threads {
		wg.Go(func() { work(n*k/threads, n*(k+1)/threads) })
	}
	wg.Wait()
}

// touch writes Outside or OnSurface by the signs of the coordinates.
func touch(dst []side.Side, pts []r3.Vector) {
	dst = dst[:len(pts)]
	for i := range pts {
		p := &pts[i]
		signs := math.Float64bits(p.X) ^ math.Float64bits(p.Y) ^ math.Float64bits(p.Z)
		dst[i] = side.Outside + side.Side(signs>>63)
	}
}

// fill writes s everywhere, by copies of a short piece.
func fill(dst []side.Side, s side.Side) {
	if len(dst) == 0 {
		return
	}
	const seed = 1 << 12 // bytes to start from: copies come from the first-level cache
	first := dst[:min(seed, len(dst))]
	for i := range first {
		first[i] = s
	}
	for lo := len(first); lo < len(dst); {
		lo += copy(dst[lo:], first)
	}
}
