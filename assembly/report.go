package assembly

import (
	"unsafe"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bvh"
)

// Report lists the defects of the meshes of an Assembly and the methods of its solids. It marshals
// as JSON.
type Report struct {
	// Names and Solids hold the name and the report of each solid, in order. If several solids come
	// from one file, only the report of the first one has the notes on the file.
	Names  []string
	Solids []inpoly.Report
	// Timings holds the times for building, summed over all files and solids, even over solids that
	// were built in parallel.
	Timings inpoly.Timings
}

// Warnings returns the warnings of all solids in order. Each warning begins with the name of the
// solid and a colon.
func (r Report) Warnings() []string {
	var out []string
	for i, s := range r.Solids {
		for _, w := range s.Warnings() {
			out = append(out, r.Names[i]+": "+w)
		}
	}
	return out
}

// Defects reports whether any mesh has a defect; see inpoly.Report.Defects.
func (r Report) Defects() bool {
	for _, s := range r.Solids {
		if s.Defects() {
			return true
		}
	}
	return false
}

// Report returns the defects of the meshes and the methods of the solids.
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

// Memory estimates the current number of bytes of the meshes and indexes. The tree of a solid
// counts once it is built. Memory counts neither multipoles nor the index that package nearest
// builds for large batches.
func (a *Assembly) Memory() int64 {
	n := a.sideBounds.bytes() + a.windingBounds.bytes()
	for i := range a.members {
		m := &a.members[i]
		n += int64(unsafe.Sizeof(*m)) + int64(unsafe.Sizeof(*m.solid)) + m.set.Bytes() + 4*int64(len(m.faces)) + int64(len(m.name))
		if a.surfaces.Built() && len(a.members) > 1 { // one solid uses its own tree
			n += m.set.Surface.TreeBytes()
		}
	}
	return n
}

func (s *boxSet) bytes() int64 {
	return int64(s.tree.Nodes())*bvh.NodeBytes + int64(len(s.boxes))*(48+4+4) + 4*int64(len(s.always))
}
