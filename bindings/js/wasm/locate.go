//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall/js"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/binding"
)

func init() { methods["locate"] = locate }

// answer is a kind of answers that locate computes.
type answer struct {
	name, class string // class of the typed array
	width       int    // elements of the array for each point
	// set gives dst a slice for n points, and returns the bytes of this slice. The slice is in memory, or new if memory is nil.
	set func(dst *binding.Answers, n int, memory []byte) []byte
}

// answers lists the names that params.answers can contain.
var answers = []answer{
	{"sides", "Uint8Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Sides, n, in) }},
	{"windings", "Float64Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Winding, n, in) }},
	{"windingBounds", "Float64Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Bound, n, in) }},
	{"distances", "Float64Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Distance, n, in) }},
	{"distanceBounds", "Float64Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.DistanceBound, n, in) }},
	{"nearest", "Float64Array", 3, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Nearest, n, in) }},
	{"faces", "Int32Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Face, n, in) }},
	{"nearestBodies", "Int32Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.NearestBody, n, in) }},
	{"nearestBounds", "Float64Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.NearestBound, n, in) }},
	{"normals", "Float64Array", 3, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Normal, n, in) }},
	{"features", "Uint8Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Feature, n, in) }},
	{"barycentric", "Float64Array", 3, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Barycentric, n, in) }},
	{"bodies", "Int32Array", 1, func(dst *binding.Answers, n int, in []byte) []byte { return set(&dst.Body, n, in) }},
}

func set[T any](field *[]T, n int, memory []byte) []byte {
	if memory == nil {
		*field = make([]T, n)
	} else {
		*field = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n)
	}
	return bytesOf(*field)
}

// chunk is the number of points of one call of binding.LocateTo, the same as in package binding.
// Points of float32 have a quarter, also as there. Some winding numbers depend on it within their
// bounds.
const chunk = 1 << 20

// buffers holds the points of one chunk, which several calls use one after another.
type buffers struct {
	points []r3.Vector
	narrow []float32
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// resize returns a slice of n elements, which has the memory of s if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// locate computes the answers with the names params.answers, separated by commas, for the points
// params.points. params.choice selects the bodies. It returns an object of typed arrays.
func locate(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	choice := assembly.First
	if c := params.Get("choice"); c.Truthy() {
		if choice, err = assembly.ParseChoice(c.String()); err != nil {
			return nil, fmt.Errorf("%w: %w", binding.ErrArgument, err)
		}
	}
	array := params.Get("points")
	class := kind(array)
	size := chunk
	switch class {
	case "Float64Array":
	case "Float32Array":
		size /= 4
	default:
		return nil, fmt.Errorf("%w: the points are not a Float64Array or Float32Array", binding.ErrArgument)
	}
	n, err := triples(array, "the points")
	if err != nil {
		return nil, err
	}
	wanted, out, err := results(params.Get("answers").String(), n)
	if err != nil {
		return nil, err
	}
	b := pool.Get().(*buffers)
	defer pool.Put(b)
	var dst binding.Answers
	memory := make([][]byte, len(wanted))
	for lo := 0; lo < n; lo += size {
		m := min(size, n-lo)
		b.read(array, class, lo, m)
		if lo == 0 || m < size {
			dst = binding.Answers{Choice: choice}
			for i, a := range wanted {
				memory[i] = a.set(&dst, m, nil)
			}
		}
		var moved func(done, total int64)
		if progress != nil {
			moved = func(done, _ int64) { progress("locate", int64(lo)+done, int64(n)) }
		}
		if err := s.LocateTo(ctx, dst, b.points, moved); err != nil {
			return nil, err
		}
		for i, a := range wanted {
			js.CopyBytesToJS(bytesView(out[a.name].(js.Value), lo*(len(memory[i])/m), len(memory[i])), memory[i])
		}
	}
	return out, nil
}

// results returns the answers with the given names, and their arrays for n points by their names.
func results(names string, n int) (wanted []answer, out map[string]any, err error) {
	out = map[string]any{}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(answers, func(a answer) bool { return a.name == name })
		if i < 0 || out[name] != nil {
			return nil, nil, fmt.Errorf("%w: unknown or repeated answer %q", binding.ErrArgument, name)
		}
		wanted = append(wanted, answers[i])
		out[name] = newArray(answers[i].class, answers[i].width*n)
	}
	return wanted, out, nil
}

// read copies n points from point lo to b.points.
func (b *buffers) read(array js.Value, class string, lo, n int) {
	b.points = resize(b.points, n)
	if class == "Float64Array" {
		copyIn(b.points, array, 24*lo)
		return
	}
	b.narrow = resize(b.narrow, 3*n)
	copyIn(b.narrow, array, 12*lo)
	widen(b.points, b.narrow)
}
