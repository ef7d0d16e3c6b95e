package main

// #include "export.h"
import "C"

import (
	"context"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
)

// readPoints returns the vectors at p. They are those of the caller if they are packed doubles, and a copy
// otherwise.
func readPoints(name string, p *C.inpoly_points) ([]r3.Vector, error) {
	c, err := readStruct(name, p)
	if err != nil {
		return nil, err
	}
	if c.reserved != 0 {
		return nil, argument("the field reserved of %s is %d: it must be 0", name, c.reserved)
	}
	v, err := newVectors(name+".data", unsafe.Pointer(c.data), int64(c.count), int64(c.stride), c._type)
	if err != nil || v.n == 0 {
		return nil, err
	}
	if packed, ok := v.packed(); ok {
		return packed, nil
	}
	copied := make([]r3.Vector, v.n)
	forEachBlock(v.n, func(lo, hi int) { v.copyTo(copied[lo:hi], lo) })
	return copied, nil
}

// readLines returns the lines at p.
func readLines(name string, p *C.inpoly_lines) (l binding.Lines, err error) {
	c, err := readStruct(name, p)
	if err != nil {
		return l, err
	}
	if (c.directions == nil) == (c.ends == nil) {
		return l, argument("one of directions and ends of %s must be NULL, and the other must not", name)
	}
	if l.Starts, err = readPoints(name+".starts", c.starts); err != nil {
		return l, err
	}
	if c.ends != nil {
		l.Segments = true
		l.Vectors, err = readPoints(name+".ends", c.ends)
	} else {
		l.Vectors, err = readPoints(name+".directions", c.directions)
	}
	return l, err
}

// runLines calls work with the solid of a handle and with a function for its progress.
func runLines(solid C.inpoly_solid, stage string, progress C.inpoly_progress, user unsafe.Pointer, work func(ctx context.Context, s *binding.Solid, report func(done, total int64)) error) error {
	s, err := find(solid)
	if err != nil {
		return err
	}
	return callback{progress, user}.run(func(ctx context.Context, all func(stage string, done, total int64)) error {
		if all == nil {
			return work(ctx, s, nil)
		}
		all(stage, 0, 0)
		return work(ctx, s, func(done, total int64) { all(stage, done, total) })
	})
}

//export inpolyFirstHits
func inpolyFirstHits(solid C.inpoly_solid, lines *C.inpoly_lines, hits *C.inpoly_hits, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		l, err := readLines("lines", lines)
		if err != nil {
			return err
		}
		c, err := readStruct("hits", hits)
		if err != nil {
			return err
		}
		a := arrays{n: int64(len(l.Starts))}
		dst := binding.Hits{
			T: output[float64](&a, "hits.t", unsafe.Pointer(c.t), true), Bound: output[float64](&a, "hits.bound", unsafe.Pointer(c.bound), true),
			Face: output[int32](&a, "hits.face", unsafe.Pointer(c.face), true), Body: output[int32](&a, "hits.body", unsafe.Pointer(c.body), true),
			Sign: output[int8](&a, "hits.sign", unsafe.Pointer(c.sign), true), Jump: output[int8](&a, "hits.jump", unsafe.Pointer(c.jump), true),
		}
		if a.err != nil {
			return a.err
		}
		return runLines(solid, "lines", progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) error {
			return s.FirstHitsTo(ctx, dst, l, report)
		})
	})
}

//export inpolyAnyHits
func inpolyAnyHits(solid C.inpoly_solid, lines *C.inpoly_lines, met *C.int8_t, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		l, err := readLines("lines", lines)
		if err != nil {
			return err
		}
		// A Go bool is one byte, 0 or 1. The library only writes to this array.
		dst, err := array[bool]("met", unsafe.Pointer(met), int64(len(l.Starts)), false)
		if err != nil {
			return err
		}
		return runLines(solid, "lines", progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) error {
			return s.AnyHitsTo(ctx, dst, l, report)
		})
	})
}

//export inpolyAllHits
func inpolyAllHits(solid C.inpoly_solid, lines *C.inpoly_lines, list *C.inpoly_hit_list, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		l, err := readLines("lines", lines)
		if err != nil {
			return err
		}
		if err := checkStruct("list", list); err != nil {
			return err
		}
		var found *binding.HitList
		err = runLines(solid, "lines", progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (err error) {
			found, err = s.AllHits(ctx, l, report)
			return err
		})
		if err != nil {
			return err
		}
		b := newBlock(found.Offsets, bytesOf(found.T), bytesOf(found.Bound), bytesOf(found.Face), bytesOf(found.Body), bytesOf(found.Sign), bytesOf(found.Jump))
		writeStruct(list, C.inpoly_hit_list{
			lines: C.int64_t(len(found.Offsets) - 1), count: C.int64_t(len(found.T)), offsets: (*C.int64_t)(b[0]),
			t: (*C.double)(b[1]), bound: (*C.double)(b[2]), face: (*C.int32_t)(b[3]), body: (*C.int32_t)(b[4]), sign: (*C.int8_t)(b[5]), jump: (*C.int8_t)(b[6]),
		})
		return nil
	})
}

//export inpolyIntervals
func inpolyIntervals(solid C.inpoly_solid, index C.int64_t, segments *C.inpoly_lines, step C.double, list *C.inpoly_interval_list, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		l, err := readLines("segments", segments)
		if err != nil {
			return err
		}
		return writeIntervals(solid, list, progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (*binding.IntervalList, error) {
			return s.Intervals(ctx, int(index), l, float64(step), report)
		})
	})
}

//export inpolyPolylineIntervals
func inpolyPolylineIntervals(solid C.inpoly_solid, index C.int64_t, points *C.inpoly_points, offsets *C.int64_t, count C.int64_t, step C.double, list *C.inpoly_interval_list, progress C.inpoly_progress, user unsafe.Pointer) C.inpoly_status {
	return status(func() error {
		pts, err := readPoints("points", points)
		if err != nil {
			return err
		}
		if count < 0 || count == 1<<63-1 {
			return argument("the number of polylines is %d", count)
		}
		o, err := array[int64]("offsets", unsafe.Pointer(offsets), int64(count)+1, false)
		if err != nil {
			return err
		}
		return writeIntervals(solid, list, progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (*binding.IntervalList, error) {
			return s.PolylineIntervals(ctx, int(index), pts, o, float64(step), report)
		})
	})
}

func writeIntervals(solid C.inpoly_solid, list *C.inpoly_interval_list, progress C.inpoly_progress, user unsafe.Pointer, find func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (*binding.IntervalList, error)) error {
	if err := checkStruct("list", list); err != nil {
		return err
	}
	var v *binding.IntervalList
	err := runLines(solid, "lines", progress, user, func(ctx context.Context, s *binding.Solid, report func(done, total int64)) (err error) {
		v, err = find(ctx, s, report)
		return err
	})
	if err != nil {
		return err
	}
	b := newBlock(v.Offsets, bytesOf(v.Unsampled), bytesOf(v.From), bytesOf(v.FromBound), bytesOf(v.To), bytesOf(v.ToBound), bytesOf(v.Length), bytesOf(v.LengthBound),
		bytesOf(v.FromSegment), bytesOf(v.ToSegment), bytesOf(v.Side))
	writeStruct(list, C.inpoly_interval_list{
		lines: C.int64_t(len(v.Offsets) - 1), count: C.int64_t(len(v.Side)), offsets: (*C.int64_t)(b[0]),
		from: (*C.double)(b[2]), from_bound: (*C.double)(b[3]), to: (*C.double)(b[4]), to_bound: (*C.double)(b[5]),
		length: (*C.double)(b[6]), length_bound: (*C.double)(b[7]), from_segment: (*C.int32_t)(b[8]), to_segment: (*C.int32_t)(b[9]), side: (*C.int8_t)(b[10]),
		unsampled_count: C.int64_t(len(v.Unsampled)), unsampled: (*C.int64_t)(b[1]),
	})
	return nil
}

// bytesOf returns the memory of s.
func bytesOf[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), uintptr(len(s))*unsafe.Sizeof(s[0]))
}

// newBlock copies arrays to one block of C memory, and returns the address of each. The first array is
// the offsets, so the block begins with it. Arrays with larger elements must come first, so that all
// are aligned.
func newBlock(offsets []int64, arrays ...[]byte) []unsafe.Pointer {
	arrays = append([][]byte{bytesOf(offsets)}, arrays...)
	size := 0
	for _, a := range arrays {
		size += len(a)
	}
	block := C.malloc(C.size_t(size)) // ends the process if there is no memory
	memory := unsafe.Slice((*byte)(block), size)
	out := make([]unsafe.Pointer, len(arrays))
	at := 0
	for i, a := range arrays {
		out[i] = unsafe.Add(block, at)
		at += copy(memory[at:], a)
	}
	return out
}
