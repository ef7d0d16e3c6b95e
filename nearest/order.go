package nearest

import (
	"context"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/internal/par"
)

const (
	axisBits  = 10
	codeBits  = 3 * axisBits // 1024³ cells
	indexBits = 20
	indexMask = 1<<indexBits - 1
	passBits  = codeBits / 3
	digits    = 1 << passBits
	maxSort   = 1 << indexBits
)

// sorter sorts up to maxSort points: all points of a batch at once, where
// internal/morton sorts 2¹⁶, so that neighbours in the order are closer. The zero
// value is ready.
type sorter struct {
	keys, spare []uint64
}

// order returns keys whose low indexBits are the numbers 0 … len(pts)−1, in the
// Morton order of the points in a grid of 1024³ cells over box. Points outside of it
// count to the nearest cell, NaN to the first. The result belongs to s until its next
// use.
func (s *sorter) order(ctx context.Context, pts []r3.Vector, box bvh.Box, workers int) ([]uint64, error) {
	n := len(pts)
	if cap(s.keys) < n {
		s.keys, s.spare = make([]uint64, n), make([]uint64, n)
	}
	keys, spare := s.keys[:n], s.spare[:n]
	size := box.Size()
	sx, sy, sz := perCell(size.X), perCell(size.Y), perCell(size.Z)
	if err := par.Blocks(ctx, n, 1<<14, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			p := &pts[i]
			code := spread(cell((p.X-box.Min.X)*sx)) | spread(cell((p.Y-box.Min.Y)*sy))<<1 | spread(cell((p.Z-box.Min.Z)*sz))<<2
			keys[i] = code<<indexBits | uint64(i)
		}
	}); err != nil {
		return nil, err
	}
	var counts [3][digits]uint32
	for _, k := range keys {
		counts[0][k>>indexBits&(digits-1)]++
		counts[1][k>>(indexBits+passBits)&(digits-1)]++
		counts[2][k>>(indexBits+2*passBits)&(digits-1)]++
	}
	for pass := range counts {
		scatter(spare, keys, indexBits+uint(pass)*passBits, &counts[pass])
		keys, spare = spare, keys
	}
	return keys, nil
}

// scatter sorts src by one digit into dst; counts are those of the digits.
func scatter(dst, src []uint64, shift uint, counts *[digits]uint32) {
	sum := uint32(0)
	for i, c := range counts {
		counts[i] = sum
		sum += c
	}
	for _, k := range src {
		d := k >> shift & (digits - 1)
		dst[counts[d]] = k
		counts[d]++
	}
}

// perCell maps an edge of the box to the cells of an axis.
func perCell(size float64) float64 {
	if k := (1 << axisBits) / size; k <= math.MaxFloat64 {
		return k
	}
	return 0 // a flat box, or a tiny one: one cell
}

func cell(x float64) uint64 {
	if !(x > 0) {
		return 0
	}
	return uint64(min(x, 1<<axisBits-1))
}

// spread puts two zero bits between neighbouring bits of x, which has axisBits.
func spread(x uint64) uint64 {
	x = (x | x<<16) & 0x030000ff
	x = (x | x<<8) & 0x0300f00f
	x = (x | x<<4) & 0x030c30c3
	return (x | x<<2) & 0x09249249
}
