//go:build js && wasm

package main

import (
	"context"
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
)

// The functions of this file compute the answers for few points or lines without values of JavaScript, which take
// about 100 µs for each call. inpoly/sync calls them as exports of the module (few.js). Arguments and results are in shared,
// whose address does not change. A function returns 1 if it fails in any way; JavaScript then runs the method of methods,
// whose error has a code and a message.

// most is the largest number of points or lines.
const most = 64

// shared begins with the points, or with the starts and the other vectors of lines. The results follow, one array after another. Each
// begins at a multiple of 8 bytes.
var shared struct {
	vectors [2 * most]r3.Vector
	results [2 * most * 64]byte
}

//go:wasmexport inpoly_shared
func sharedAddress() unsafe.Pointer { return unsafe.Pointer(&shared) }

// fewAnswers describes answers to JavaScript, in their order: the name, the class of the array and the elements for a point.
func fewAnswers() (text string) {
	for _, a := range answers {
		text += a.name + " " + a.class + " " + strconv.Itoa(a.width) + "\n"
	}
	return text
}

// after returns the memory after the first n bytes, from a multiple of 8 bytes.
func after(memory []byte, n int) []byte { return memory[min(len(memory), (n+7)&^7):] }

// locateFew computes the answers whose bits are set in wanted, for n points.
//
//go:wasmexport inpoly_locate
func locateFew(solid, n int32, wanted uint32) int32 {
	return few(solid, n, func(s *binding.Solid) error {
		pts := shared.vectors[:n]
		if wanted == 1 && answers[0].name == "sides" {
			for i, p := range pts { // a batch takes five times as long for one point
				shared.results[i] = byte(s.Assembly.Side(p))
			}
			return nil
		}
		var dst binding.Answers
		memory := shared.results[:]
		for ; wanted != 0; wanted &= wanted - 1 {
			part := answers[bits.TrailingZeros32(wanted)].set(&dst, int(n), memory)
			memory = after(memory, len(part))
		}
		return s.LocateTo(context.Background(), dst, pts, nil)
	})
}

// hitsFew computes the first hits of n lines, or whether they meet a face if anyHit is 1. The lines are segments if
// segments is 1.
//
//go:wasmexport inpoly_hits
func hitsFew(solid, n, anyHit, segments int32) int32 {
	return few(solid, n, func(s *binding.Solid) error {
		ctx := context.Background()
		l := binding.Lines{Starts: shared.vectors[:n], Vectors: shared.vectors[n : 2*n], Segments: segments == 1}
		memory := shared.results[:]
		if anyHit == 1 {
			var met []bool
			set(&met, int(n), memory)
			return s.AnyHitsTo(ctx, met, l, nil)
		}
		var h binding.Hits
		take := func(part []byte) { memory = after(memory, len(part)) }
		take(set(&h.T, int(n), memory))
		take(set(&h.Bound, int(n), memory))
		take(set(&h.Face, int(n), memory))
		take(set(&h.Body, int(n), memory))
		take(set(&h.Sign, int(n), memory))
		set(&h.Jump, int(n), memory)
		return s.FirstHitsTo(ctx, h, l, nil)
	})
}

// few runs query for the solid with the given number. It returns 1 if there is no such solid, if n is out of range,
// or if query fails.
func few(solid, n int32, query func(*binding.Solid) error) (failed int32) {
	defer func() {
		if recover() != nil {
			failed = 1
		}
	}()
	s := solids[int(solid)]
	if s == nil || n < 0 || n > most || query(s) != nil {
		return 1
	}
	return 0
}
