package inpoly

import (
	"unsafe"

	"github.com/inpoly/inpoly/mesh"
)

// AssemblyReport says what is wrong with the meshes of an Assembly.
type AssemblyReport struct {
	// Names and Solids are those of the solids, in order. Of several from one file
	// the first has the notes on it.
	Names  []string
	Solids []Report
}

// Warnings returns the warnings of all solids in order, each beginning with the
// solid's name and a colon.
func (r AssemblyReport) Warnings() []string {
	var out []string
	for i, s := range r.Solids {
		for _, w := range s.Warnings() {
			out = append(out, r.Names[i]+": "+w)
		}
	}
	return out
}

// Defects reports whether any of the meshes has one: see Report.Defects.
func (r AssemblyReport) Defects() bool {
	for _, s := range r.Solids {
		if s.Defects() {
			return true
		}
	}
	return false
}

// Report returns what is wrong with the meshes, and what it means for the answers.
func (a *Assembly) Report() AssemblyReport {
	r := AssemblyReport{Names: make([]string, len(a.members)), Solids: make([]Report, len(a.members))}
	for i := range a.members {
		r.Names[i], r.Solids[i] = a.members[i].name, a.members[i].solid.report
	}
	return r
}

// Timings returns how long building took, summed over files and solids, also where
// several were built at the same time.
func (a *Assembly) Timings() Timings {
	var sum Timings
	for i := range a.members {
		t := &a.members[i].solid.timings
		sum.Load += t.Load
		sum.Weld += t.Weld
		sum.Orient += t.Orient
		sum.Diagnose += t.Diagnose
		sum.Build += t.Build
	}
	return sum
}

// Bytes of a tree: a node of a cache line and, for about every fourth, a box of
// four lines of its grandchildren; see package bvh.
const nodeBytes = 64 + 256/4

// Bytes of a tree for a face: fewer than two nodes, a triangle, and the number of the
// face in the order of the leaves.
const treeBytes = 2*nodeBytes + int64(unsafe.Sizeof(mesh.Triangle{})) + 4

// Memory estimates how many bytes the meshes and indexes hold at present; the tree
// of a solid counts once it is built. Multipoles, and what package nearest adds for
// large batches, are not counted.
func (a *Assembly) Memory() int64 {
	n := a.reach.memory() + a.turning.memory()
	surfaces := a.surfaces.there() && len(a.members) > 1 // else it is that of the solid
	for i := range a.members {
		m := &a.members[i]
		if surfaces {
			n += int64(m.solid.mesh.NumFaces()) * treeBytes
		}
		n += int64(unsafe.Sizeof(*m)) + 2*int64(unsafe.Sizeof(*m.solid)) + m.solid.memory() + 4*int64(len(m.faces)) + int64(len(m.name))
	}
	return n
}

func (b *boxSet) memory() int64 {
	return int64(b.tree.Nodes())*nodeBytes + int64(len(b.boxes))*(48+4+4) + 4*int64(len(b.always))
}

func (s *Solid) memory() int64 {
	m := s.mesh
	faces := int64(m.NumFaces())
	n := 24*int64(len(m.Vertices)) + 12*faces + 4*int64(len(m.Degenerate()))
	n += int64(unsafe.Sizeof(mesh.Edge{})) * int64(len(m.Boundary()))
	n += int64(unsafe.Sizeof(mesh.Component{})) * int64(len(s.report.Diagnosis.Components))
	if s.cells != nil {
		n += s.cells.Shape().Bytes
	}
	if s.direct != nil {
		n += 9 * faces // see bem.NewDirect
	}
	if s.tree.there() {
		n += faces * treeBytes
	}
	return n
}
