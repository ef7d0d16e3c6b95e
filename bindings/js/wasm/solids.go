//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"syscall/js"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/mesh"
)

// solids holds the open solids by their numbers.
var (
	solids    = map[int]*binding.Solid{}
	lastSolid int
)

func init() {
	methods["open"] = open
	methods["new"] = create
	methods["close"] = closeSolid
	methods["report"] = report
	methods["explain"] = explain
	methods["mesh"] = copyMesh
	methods["memory"] = memory
}

// solidOf returns the solid whose number is params.solid.
func solidOf(params js.Value) (*binding.Solid, error) {
	if s := solids[params.Get("solid").Int()]; s != nil {
		return s, nil
	}
	return nil, binding.ErrHandle
}

// optionsOf returns the options of params.options, which is JSON.
func optionsOf(params js.Value, progress progressFunc) (o binding.Options, err error) {
	d := json.NewDecoder(strings.NewReader(params.Get("options").String()))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return o, fmt.Errorf("%w: options: %w", binding.ErrArgument, err)
	}
	o.Progress = progress
	return o, nil
}

// open opens params.files, a list of objects {name, data}, where data is a Uint8Array. Like create, it
// returns {solid, info}.
func open(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	o, err := optionsOf(params, progress)
	if err != nil {
		return nil, err
	}
	list := params.Get("files")
	files := make([]binding.FileContent, list.Length())
	for i := range files {
		f := list.Index(i)
		if kind(f.Get("data")) != "Uint8Array" {
			return nil, fmt.Errorf("%w: the content of a file is not a Uint8Array", binding.ErrArgument)
		}
		files[i] = binding.FileContent{Name: f.Get("name").String(), Data: slice[uint8](f.Get("data"))}
		f.Set("data", js.Undefined()) // the memory is free as soon as possible
	}
	s, err := binding.ReadFiles(ctx, files, o)
	return opened(ctx, s, err)
}

// create makes solids from params.meshes, a list of objects {name, vertices, faces}. faces can be
// undefined: then each three vertices are a face.
func create(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	o, err := optionsOf(params, progress)
	if err != nil {
		return nil, err
	}
	list := params.Get("meshes")
	meshes := make([]binding.Mesh, list.Length())
	for i := range meshes {
		m := list.Index(i)
		meshes[i].Name = m.Get("name").String()
		if meshes[i].Vertices, err = vectors(m.Get("vertices"), "the vertices"); err == nil {
			meshes[i].Faces, err = faces(m.Get("faces"), len(meshes[i].Vertices))
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := binding.New(ctx, meshes, o)
	return opened(ctx, s, err)
}

func widen(dst []r3.Vector, src []float32) {
	for i := range dst {
		c := src[3*i : 3*i+3]
		dst[i] = r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
	}
}

// faces returns the faces of an array of indexes less than n.
func faces(array js.Value, n int) ([][3]int32, error) {
	if array.IsUndefined() || array.IsNull() {
		if n%3 != 0 {
			return nil, fmt.Errorf("%w: %d vertices without faces are not a multiple of 3", binding.ErrArgument, n)
		}
		out := make([][3]int32, n/3)
		for i := range out {
			out[i] = [3]int32{int32(3 * i), int32(3*i + 1), int32(3*i + 2)}
		}
		return out, nil
	}
	class := kind(array)
	switch class {
	case "Uint32Array", "Int32Array", "Uint16Array":
	default:
		return nil, fmt.Errorf("%w: the faces are not a Uint32Array, Int32Array or Uint16Array", binding.ErrArgument)
	}
	count, err := triples(array, "the faces")
	if err != nil {
		return nil, err
	}
	out := make([][3]int32, count)
	if class == "Uint16Array" {
		for i, v := range slice[uint16](array) {
			out[i/3][i%3] = int32(v)
		}
		return out, nil
	}
	copyIn(out, array, 0)
	if class == "Uint32Array" {
		for f := range out {
			for _, v := range out[f] {
				if v < 0 {
					return nil, fmt.Errorf("face %d: %w: vertex %d of %d", f, mesh.ErrIndex, uint32(v), n)
				}
			}
		}
	}
	return out, nil
}

// info describes an open solid.
type info struct {
	Solids []solidInfo `json:"solids"`
}

type solidInfo struct {
	Name     string       `json:"name"`
	Vertices int          `json:"vertices"`
	Faces    int          `json:"faces"`
	Closed   bool         `json:"closed"`
	Box      [][3]float64 `json:"box"` // smallest and largest corner; empty if there are no faces
	Pose     *solidPose   `json:"pose"`
}

// solidPose is a pose in the format of the arguments of the JavaScript method "at".
type solidPose struct {
	Rotation    [4]float64 `json:"rotation"` // w, x, y, z
	Translation [3]float64 `json:"translation"`
}

// opened registers s, unless there is an error.
func opened(ctx context.Context, s *binding.Solid, err error) (any, error) {
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	d := info{Solids: []solidInfo{}}
	for i := range s.Len() {
		m := s.Solid(i).Mesh()
		e := solidInfo{Name: s.Name(i), Vertices: len(m.Vertices), Faces: m.NumFaces(), Closed: m.Closed(), Box: [][3]float64{}}
		if b := s.Box(i); e.Faces > 0 {
			e.Box = [][3]float64{{b.Min.X, b.Min.Y, b.Min.Z}, {b.Max.X, b.Max.Y, b.Max.Z}}
		}
		if at := s.Posed(i); at != nil {
			q, t := at.Pose().Rotation, at.Pose().Translation
			e.Pose = &solidPose{[4]float64{q.Real, q.Imag, q.Jmag, q.Kmag}, [3]float64{t.X, t.Y, t.Z}}
		}
		d.Solids = append(d.Solids, e)
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	lastSolid++
	solids[lastSolid] = s
	return map[string]any{"solid": lastSolid, "info": string(text)}, nil
}

// closeSolid forgets params.solid. Calls that use it continue. It does nothing if the solid is closed.
func closeSolid(_ context.Context, params js.Value, _ progressFunc) (any, error) {
	delete(solids, params.Get("solid").Int())
	return nil, nil
}

// report returns the report as JSON.
func report(ctx context.Context, params js.Value, progress progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	r, err := s.ReportWith(ctx, progress)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	return string(text), err
}

// explain returns the explanations of the point params.x, params.y, params.z as JSON.
func explain(_ context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	p := r3.Vector{X: params.Get("x").Float(), Y: params.Get("y").Float(), Z: params.Get("z").Float()}
	text, err := json.Marshal(s.Explain(p))
	return string(text), err
}

// copyMesh returns the welded mesh of the solid number params.index as {vertices, faces}.
func copyMesh(_ context.Context, params js.Value, _ progressFunc) (any, error) {
	s, err := solidOf(params)
	if err != nil {
		return nil, err
	}
	i := params.Get("index").Float()
	if !(i >= 0 && i < float64(s.Len()) && i == math.Trunc(i)) {
		return nil, fmt.Errorf("%w: index %v of %d solids", binding.ErrArgument, i, s.Len())
	}
	m, err := s.Mesh(int(i))
	if err != nil {
		return nil, err
	}
	v, f := newArray("Float64Array", 3*len(m.Vertices)), newArray("Int32Array", 3*len(m.Faces))
	copyOut(v, m.Vertices)
	copyOut(f, m.Faces)
	return map[string]any{"vertices": v, "faces": f}, nil
}

// memory returns the number of open solids and the bytes of the heap in use, after a collection of
// garbage.
func memory(context.Context, js.Value, progressFunc) (any, error) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return map[string]any{"solids": len(solids), "bytes": m.HeapAlloc}, nil
}
