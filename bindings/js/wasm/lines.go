//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"math"
	"syscall/js"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
)

func init() {
	methods["firstHits"] = firstHits
	methods["anyHits"] = anyHits
	methods["allHits"] = allHits
	methods["intervals"] = intervals
	methods["polylineIntervals"] = polylineIntervals
}

// vectors returns the coordinates of a typed array as vectors.
func vectors(array js.Value, what string) ([]r3.Vector, error) {
	class := kind(array)
	if class != "Float64Array" && class != "Float32Array" {
		return nil, fmt.Errorf("%w: %s are not a Float64Array or Float32Array", binding.ErrArgument, what)
	}
	n, err := triples(array, what)
	if err != nil {
		return nil, err
	}
	out := make([]r3.Vector, n)
	if class == "Float64Array" {
		copyIn(out, array, 0)
		return out, nil
	}
	widen(out, slice[float32](array))
	return out, nil
}

// linesOf returns params.starts with params.vectors, which are directions, or ends if params.segments is
// true.
func linesOf(params js.Value) (l binding.Lines, err error) {
	l.Segments = params.Get("segments").Bool()
	if l.Starts, err = vectors(params.Get("starts"), "the starts"); err == nil {
		l.Vectors, err = vectors(params.Get("vectors"), "the directions or ends")
	}
	return l, err
}

// reporter returns a function that reports a stage to progress, or nil.
func reporter(progress progressFunc, stage string) func(done, total int64) {
	if progress == nil {
		return nil
	}
	return func(done, total int64) { progress(stage, done, total) }
}

// wholeNumber returns the number of a solid, or −1 if x is not an integer of 32 bits.
func wholeNumber(x js.Value) int {
	f := x.Float()
	if !(f >= 0 && f <= math.MaxInt32 && f == math.Trunc(f)) {
		return -1
	}
	return int(f)
}

// firstHits returns the first hits as an object of typed arrays.
func firstHits(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	l, err := linesOf(params)
	if err != nil {
		return nil, err
	}
	n := len(l.Starts)
	h := binding.Hits{
		T: make([]float64, n), Bound: make([]float64, n), Face: make([]int32, n), Body: make([]int32, n), Sign: make([]int8, n), Jump: make([]int8, n),
	}
	if err := s.FirstHitsTo(ctx, h, l, reporter(progress, "lines")); err != nil {
		return nil, err
	}
	return hitArrays(&h), nil
}

func hitArrays(h *binding.Hits) map[string]any {
	return map[string]any{
		"t": typed("Float64Array", h.T), "bounds": typed("Float64Array", h.Bound), "faces": typed("Int32Array", h.Face),
		"bodies": typed("Int32Array", h.Body), "signs": typed("Int8Array", h.Sign), "jumps": typed("Int8Array", h.Jump),
	}
}

// typed returns a copy of src as a typed array.
func typed[T any](class string, src []T) js.Value {
	array := newArray(class, len(src))
	copyOut(array, src)
	return array
}

// anyHits returns a Uint8Array of 0 and 1 as {met}.
func anyHits(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	l, err := linesOf(params)
	if err != nil {
		return nil, err
	}
	met := make([]bool, len(l.Starts))
	if err := s.AnyHitsTo(ctx, met, l, reporter(progress, "lines")); err != nil {
		return nil, err
	}
	return map[string]any{"met": typed("Uint8Array", met)}, nil
}

// allHits returns all hits and their offsets as an object of typed arrays.
func allHits(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	l, err := linesOf(params)
	if err != nil {
		return nil, err
	}
	list, err := s.AllHits(ctx, l, reporter(progress, "lines"))
	if err != nil {
		return nil, err
	}
	out := hitArrays(&list.Hits)
	out["offsets"] = offsetArray(list.Offsets)
	return out, nil
}

// offsetArray returns offsets as a Uint32Array. They are below 2³², because the memory is.
func offsetArray(offsets []int64) js.Value {
	short := make([]uint32, len(offsets))
	for i, o := range offsets {
		short[i] = uint32(o)
	}
	return typed("Uint32Array", short)
}

// intervals divides segments relative to the solid number params.index.
func intervals(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	l, err := linesOf(params)
	if err != nil {
		return nil, err
	}
	return intervalArrays(s.Intervals(ctx, wholeNumber(params.Get("index")), l, params.Get("step").Float(), reporter(progress, "lines")))
}

// polylineIntervals divides polylines of params.points, whose first points are params.offsets.
func polylineIntervals(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	pts, err := vectors(params.Get("starts"), "the points")
	if err != nil {
		return nil, err
	}
	if kind(params.Get("offsets")) != "Uint32Array" {
		return nil, fmt.Errorf("%w: the offsets are not a Uint32Array", binding.ErrArgument)
	}
	var offsets []int64
	for _, o := range slice[uint32](params.Get("offsets")) {
		offsets = append(offsets, int64(o))
	}
	return intervalArrays(s.PolylineIntervals(ctx, wholeNumber(params.Get("index")), pts, offsets, params.Get("step").Float(), reporter(progress, "lines")))
}

func intervalArrays(v *binding.IntervalList, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"offsets": offsetArray(v.Offsets), "sides": typed("Uint8Array", v.Side),
		"starts": typed("Float64Array", v.From), "startBounds": typed("Float64Array", v.FromBound),
		"ends": typed("Float64Array", v.To), "endBounds": typed("Float64Array", v.ToBound),
		"lengths": typed("Float64Array", v.Length), "lengthBounds": typed("Float64Array", v.LengthBound),
		"firstSegments": typed("Int32Array", v.FromSegment), "lastSegments": typed("Int32Array", v.ToSegment),
		"unsampled": offsetArray(v.Unsampled),
	}, nil
}
