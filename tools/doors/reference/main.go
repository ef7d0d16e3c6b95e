// Command reference is the driver of the Go packages, whose answers the doors must give. It uses
// packages inpoly and assembly, but not the code that the doors share. Built with the tag
// noasm, it computes without assembly, as on WebAssembly.
//
//	reference JOB ANSWERS
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/rays"
	"github.com/inpoly/inpoly/side"
	"github.com/inpoly/inpoly/tools/doors/job"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: reference JOB ANSWERS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run(path, answers string) error {
	steps, err := job.Read(path)
	if err != nil {
		return err
	}
	f, err := os.Create(answers)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	d := driver{ctx: context.Background(), out: out}
	for i, s := range steps {
		if err := d.step(s); err != nil {
			return fmt.Errorf("step %d, %s: %w", i, s, err)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// driver has the solids and the points of the last steps open and points.
type driver struct {
	ctx    context.Context
	out    io.Writer
	solids *assembly.Assembly // nil if open has failed
	pts    []r3.Vector
}

func (d *driver) step(s job.Step) error {
	switch s.Name {
	case "open":
		o, err := s.Open()
		if err != nil {
			return err
		}
		d.solids, err = d.open(o)
		return d.write(int32(binding.CodeOf(err)))
	case "pose":
		return d.pose(s.Args)
	case "points":
		var err error
		d.pts, err = job.ReadVectors(s.Args[0])
		return err
	}
	if d.solids == nil {
		return nil
	}
	n := len(d.pts)
	sides := make([]side.Side, n)
	w, wBound, distance, dBound := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	face, body, inside := make([]int32, n), make([]int32, n), make([]int32, n)
	var dst inpoly.Answers
	var query assembly.Query
	switch s.Name {
	case "single":
		count, err := s.Count()
		if err != nil {
			return err
		}
		for i, p := range d.pts[:count] {
			sides[i] = d.solids.Side(p)
		}
		return d.write(sides[:count])
	case "hits":
		return d.hits()
	case "sides":
		dst.Sides = sides
	case "windings":
		dst.Winding, dst.Bound = w, wBound
	case "distances", "nearest":
		dst.Distance, dst.DistanceBound, dst.Face, dst.NearestBody = distance, dBound, face, body
	case "locate":
		var err error
		if query.Body, err = assembly.ParseChoice(s.Args[0]); err != nil {
			return err
		}
		dst.Sides, dst.Winding, dst.Bound = sides, w, wBound
		dst.Distance, dst.DistanceBound, dst.Face, dst.NearestBody, dst.Body = distance, dBound, face, body, inside
	default:
		return fmt.Errorf("no such step")
	}
	if _, err := d.solids.LocateTo(d.ctx, query, dst, d.pts); err != nil {
		return err
	}
	switch s.Name {
	case "sides":
		return d.write(sides)
	case "windings":
		return d.write(w, wBound)
	case "distances":
		return d.write(distance, dBound)
	}
	points, err := d.closest(body)
	if err != nil {
		return err
	}
	for i, f := range face {
		if f >= 0 {
			face[i] = d.solids.FileFace(int(body[i]), f)
		}
	}
	if s.Name == "nearest" {
		return d.write(points, face, body)
	}
	return d.write(sides, w, wBound, distance, dBound, points, face, body, inside)
}

// pose replaces the solids by the same solids at poses: one file after another, each relative to the
// poses of the previous file. It does nothing if open has failed.
func (d *driver) pose(files []string) error {
	for _, file := range files {
		poses, err := job.ReadPoses(file)
		if err != nil || d.solids == nil {
			return err
		}
		if d.solids, err = d.solids.At(poses); err != nil {
			return err
		}
	}
	return nil
}

// hits writes the first hits of the segments between successive points.
func (d *driver) hits() error {
	group, err := rays.NewGroup(d.ctx, d.solids.Targets(), 1)
	if err != nil {
		return err
	}
	n := len(d.pts)
	segments, hits := make([]rays.Segment, n), make([]rays.GroupHit, n)
	for i, p := range d.pts {
		segments[i] = rays.Segment{A: p, B: d.pts[(i+1)%n]}
	}
	if err := rays.GroupFirstTo(d.ctx, group, hits, segments); err != nil {
		return err
	}
	t, bound := make([]float64, n), make([]float64, n)
	face, body := make([]int32, n), make([]int32, n)
	sign, jump := make([]int8, n), make([]int8, n)
	for i, h := range hits {
		t[i], bound[i], face[i], body[i], sign[i], jump[i] = h.T, h.Bound, h.Face, h.Target, h.Sign, h.Jump
		if h.Face >= 0 {
			face[i] = d.solids.FileFace(int(h.Target), h.Face)
		}
	}
	return d.write(t, bound, face, body, sign, jump)
}

// closest returns the points of the given solids that are closest to d.pts.
func (d *driver) closest(body []int32) ([]r3.Vector, error) {
	out := make([]r3.Vector, len(d.pts))
	found := make([]inpoly.Nearest, len(d.pts))
	for k := range d.solids.Len() {
		nearestTo := d.solids.Solid(k).NearestTo
		if at := d.solids.Posed(k); at != nil {
			nearestTo = at.NearestTo
		}
		if err := nearestTo(d.ctx, found, d.pts); err != nil {
			return nil, err
		}
		for i, b := range body {
			switch {
			case b == int32(k):
				out[i] = found[i].Point
			case b < 0:
				out[i] = r3.Vector{X: math.NaN(), Y: math.NaN(), Z: math.NaN()}
			}
		}
	}
	return out, nil
}

func (d *driver) write(values ...any) error {
	for _, v := range values {
		if err := binary.Write(d.out, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) open(o job.Open) (*assembly.Assembly, error) {
	opt := assembly.Options{SplitBodies: o.Split, Options: inpoly.Options{Tolerance: o.Tolerance, Epsilon: o.Epsilon, Workers: o.Workers}}
	var err error
	if opt.Method, err = inpoly.ParseMethod(o.Method); err != nil {
		return nil, err
	}
	if opt.Rule, err = inpoly.ParseRule(o.Rule); err != nil {
		return nil, err
	}
	if opt.Orient, err = inpoly.ParseOrient(o.Orient); err != nil {
		return nil, err
	}
	switch o.How {
	case "file":
		return assembly.Open(d.ctx, o.Sources, opt)
	case "memory":
		data, err := os.ReadFile(o.Sources[0])
		if err != nil {
			return nil, err
		}
		return assembly.Read(d.ctx, o.Sources[0], bytes.NewReader(data), opt)
	case "arrays":
		var parts []assembly.Part
		for i := 0; i+1 < len(o.Sources); i += 2 {
			var soup mesh.Soup
			if soup.Vertices, err = job.ReadVectors(o.Sources[i]); err != nil {
				return nil, err
			}
			if soup.Faces, err = job.ReadFaces(o.Sources[i+1], len(soup.Vertices)); err != nil {
				return nil, err
			}
			m, err := mesh.New(d.ctx, soup, mesh.Options{})
			if err != nil {
				return nil, err
			}
			parts = append(parts, assembly.Part{Mesh: m})
		}
		return assembly.New(d.ctx, parts, opt)
	}
	return nil, fmt.Errorf("no such source: %s", o.How)
}
