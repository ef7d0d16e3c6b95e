package assembly

import (
	"unsafe"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Report lists the defects of the meshes of an Assembly, and how its solids answer.
// It marshals as JSON.
type Report struct {
	// Names and Solids hold the name and the report of each solid, in order. If several
	// solids come from one file, the first has the notes on the file.
	Names  []string
	Solids []inpoly.Report
	// Timings gives the times of building, summed over files and solids, even if several
	// were built at the same time.
	Timings inpoly.Timings
}

// Warnings returns the warnings of all solids in order, each beginning with the
// solid's name and a colon.
func (r Report) Warnings() []string {
	var out []string
	for i, s := range r.Solids {
		for _, w := range s.Warnings() {
			out = append(out, r.Names[i]+": "+w)
		}
	}
	return out
}

// Defects reports whether any of the meshes has one: see inpoly.Report.Defects.
func (r Report) Defects() bool {
	for _, s := range r.Solids {
		if s.Defects() {
			return true
		}
	}
	return false
}

// Report returns the defects of the meshes, and how they affect the answers.
func (a *Assembly) Report() Report {
	r := Report{Names: make([]string, len(a.members)), Solids: make([]inpoly.Report, len(a.members)), Timings: a.files}
	for i := range a.members {
		s := a.members[i].solid.Report()
		r.Names[i], r.Solids[i] = a.members[i].name, s
		r.Timings.Orient += s.Timings.Orient
		r.Timings.Diagnose += s.Timings.Diagnose
		r.Timings.Build += s.Timings.Build
	}
	return r
}

// Memory estimates how many bytes the meshes and indexes hold at present; the tree of a
// solid counts once it is built. Multipoles, and the index that package nearest builds
// for large batches, are not counted.
func (a *Assembly) Memory() int64 {
	n := a.sideBounds.bytes() + a.windingBounds.bytes()
	for i := range a.members {
		m := &a.members[i]
		n += int64(unsafe.Sizeof(*m)) + int64(unsafe.Sizeof(*m.solid)) + m.set.Bytes() + 4*int64(len(m.faces)) + int64(len(m.name))
		if a.surfaces.Built() && len(a.members) > 1 { // else it is the tree of the solid
			n += m.set.Surface.TreeBytes()
		}
	}
	return n
}

func (s *boxSet) bytes() int64 {
	return int64(s.tree.Nodes())*bvh.NodeBytes + int64(len(s.boxes))*(48+4+4) + 4*int64(len(s.always))
}
