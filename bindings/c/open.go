package main

// #include "export.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/inpoly/inpoly/internal/binding"
)

// options returns the options at p, which can be nil.
func options(p *C.inpoly_options) (binding.Options, callback, error) {
	if p == nil {
		return binding.Options{}, callback{}, nil
	}
	o, err := readStruct("options", p)
	if err != nil {
		return binding.Options{}, callback{}, err
	}
	name := func(s *C.char) string {
		if s == nil {
			return ""
		}
		return C.GoString(s)
	}
	return binding.Options{
		Method: name(o.method), Rule: name(o.rule), Orient: name(o.orient),
		Tolerance: float64(o.tolerance), Weld: float64(o.weld), Epsilon: float64(o.epsilon),
		ExpectedPoints: int64(o.expected_points), MaxMemory: int64(o.max_memory), Seed: uint64(o.seed),
		Workers: int(o.workers), SplitBodies: o.split_bodies != 0, Parts: name(o.parts),
	}, callback{o.progress, o.user}, nil
}

// open stores the handle of a new solid in dst. The function build is called with the options at p.
func open(dst *C.inpoly_solid, p *C.inpoly_options, build func(ctx context.Context, o binding.Options) (*binding.Solid, error)) error {
	if _, err := array[C.inpoly_solid]("solid", unsafe.Pointer(dst), 1, false); err != nil {
		return err
	}
	o, progress, err := options(p)
	if err != nil {
		return err
	}
	var s *binding.Solid
	err = progress.run(func(ctx context.Context, report func(stage string, done, total int64)) (err error) {
		o.Progress = report
		s, err = build(ctx, o)
		return err
	})
	if err != nil {
		return err
	}
	return store(dst, s)
}

// store stores a handle of s in dst.
func store(dst *C.inpoly_solid, s *binding.Solid) error {
	handle := solids.add(s)
	if handle == 0 {
		return argument("%d solids are open, which is the limit: free some with inpoly_free", uint64(maxBlocks*blockSlots))
	}
	*dst = C.inpoly_solid(handle)
	return nil
}

//export inpolyOpen
func inpolyOpen(path *C.char, o *C.inpoly_options, solid *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		name, err := text("path", path)
		if err != nil {
			return err
		}
		return open(solid, o, func(ctx context.Context, o binding.Options) (*binding.Solid, error) {
			return binding.Open(ctx, []string{name}, o)
		})
	})
}

//export inpolyOpenFiles
func inpolyOpenFiles(paths **C.char, count C.int64_t, o *C.inpoly_options, solid *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		list, err := array[*C.char]("paths", unsafe.Pointer(paths), int64(count), false)
		if err != nil {
			return err
		}
		names := make([]string, len(list))
		for i, p := range list {
			if names[i], err = text(fmt.Sprintf("paths[%d]", i), p); err != nil {
				return err
			}
		}
		return open(solid, o, func(ctx context.Context, o binding.Options) (*binding.Solid, error) {
			return binding.Open(ctx, names, o)
		})
	})
}

//export inpolyRead
func inpolyRead(name *C.char, data unsafe.Pointer, size C.int64_t, o *C.inpoly_options, solid *C.inpoly_solid) C.inpoly_status {
	return status(func() error {
		file, err := text("name", name)
		if err != nil {
			return err
		}
		bytes, err := array[byte]("data", data, int64(size), false)
		if err != nil {
			return err
		}
		return open(solid, o, func(ctx context.Context, o binding.Options) (*binding.Solid, error) {
			return binding.Read(ctx, file, bytes, o)
		})
	})
}

//export inpolyFree
func inpolyFree(solid C.inpoly_solid) { solids.remove(uint64(solid)) }
