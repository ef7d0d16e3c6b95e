package inpoly

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// Report lists the defects of the mesh of a Solid, and describes the method and its index. It
// marshals as JSON.
type Report struct {
	// Diagnosis describes the mesh after the changes of Options.Orient.
	Diagnosis mesh.Diagnosis
	// Source describes the file; see Options.Source.
	Source loaders.Info
	// Orient is copied from Options. Orientation counts its changes. Orientation is nil for
	// OrientNever, and for OrientAuto if the mesh has no misoriented edges.
	Orient      Orient
	Orientation *Orientation
	// Welding counts the changes of Options.Weld. It is nil if this option is 0.
	Welding *mesh.Welding
	// Rule and Tolerance are copied from Options, except that Options.Orient can change the rule to
	// EvenOdd.
	Rule      Rule
	Tolerance float64
	// Method is the chosen method, never Auto. MethodReason says why it was chosen. If Auto has
	// chosen Direct and many more points than expected are queried, rays find the sides of the later
	// points.
	Method       Method
	MethodReason string
	// WindingsVary reports whether the winding numbers of an open mesh can change within their
	// bounds as more points are queried.
	WindingsVary bool
	// Cells describes the index of the method Cells. It is nil for the other methods.
	Cells *CellsShape
	// Timings holds the time of each stage of building.
	Timings Timings
}

// Orientation counts the changes of Options.Orient.
type Orientation = mesh.OrientReport

// Timings holds the time of each stage of building a Solid. Build is the time for the index, and
// for the tree if New builds it. Load is 0 for a Solid that New has created, and Weld only has the time for
// Options.Weld.
type Timings struct {
	Load, Weld, Orient, Diagnose, Build time.Duration
}

// Warning is a relevant defect of a mesh, or a note of the reader of its file.
type Warning struct {
	// Kind identifies warnings about the same defect of other meshes.
	Kind WarningKind
	// Text is a sentence with the number of defects and their effect under the rule.
	Text string
}

// WarningKind is the kind of a Warning.
type WarningKind string

// These are the kinds of warnings, the most important first.
const (
	WarnEmpty       WarningKind = "empty"       // no triangles
	WarnWelded      WarningKind = "welded"      // the changes of Options.Weld
	WarnTurned      WarningKind = "turned"      // OrientAuto has turned faces over
	WarnDoubtful    WarningKind = "doubtful"    // the orientation relative to other parts is uncertain
	WarnParity      WarningKind = "parity"      // the rule is EvenOdd, because there is no consistent orientation
	WarnOpen        WarningKind = "open"        // the mesh is not closed
	WarnMisoriented WarningKind = "misoriented" // edges between faces of opposite orientation
	WarnDuplicate   WarningKind = "duplicate"   // duplicate faces
	WarnNegative    WarningKind = "negative"    // the rule Negative, but no component faces inward
	WarnInward      WarningKind = "inward"      // components that face inward
	WarnFlat        WarningKind = "flat"        // faces without area
	WarnFloat32     WarningKind = "float32"     // float32 coordinates that are too coarse
	WarnNote        WarningKind = "note"        // a note in Source.Notes
)

// Warnings returns the texts of WarningList.
func (r Report) Warnings() []string {
	var texts []string
	for _, w := range r.WarningList() {
		texts = append(texts, w.Text)
	}
	return texts
}

// WarningList returns one warning for each relevant defect, the most important first, and one for
// each note of the reader.
func (r Report) WarningList() []Warning {
	d := &r.Diagnosis
	var out []Warning
	warn := func(kind WarningKind, format string, args ...any) {
		out = append(out, Warning{kind, fmt.Sprintf(format, args...)})
	}
	if d.Triangles == 0 {
		warn(WarnEmpty, "the mesh has no triangles with three different corners: no point is inside")
	}
	if r.Welding != nil {
		warn(WarnWelded, "%s", weldMeaning(r.Welding))
	}
	if o := r.Orientation; o != nil && r.Orient == OrientAuto {
		if o.Faces > 0 {
			warn(WarnTurned, "%s %s turned over to agree with adjacent faces; orient=never takes the mesh as it is", o.Changes(), map[bool]string{true: "was", false: "were"}[o.Faces == 1])
		}
		if o.Doubtful > 0 {
			warn(WarnDoubtful, "%s so many flipped faces that it is uncertain which side is outside: a solid can count as a cavity, and overlapping parts can cancel; compare with the rule evenodd",
				count(o.Doubtful, "part has", "parts have"))
		}
	}
	if r.Orientation != nil && r.Orientation.Parity && r.Rule == EvenOdd {
		warn(WarnParity, "the surface has no consistent orientation, so the rule is evenodd; orient=never keeps the given rule")
	}
	if !d.ZeroBoundary {
		warn(WarnOpen, "the mesh is not closed: %s; %s%s", edgeCounts(d), openMeaning(r.Rule, d.EvenEdges), r.weldHint())
	}
	if parity := r.Rule == EvenOdd && d.EvenEdges; d.MisorientedEdges > 0 && !parity {
		warn(WarnMisoriented, "%s faces of opposite orientation: near flipped faces, the rule %s can return wrong sides; %s",
			count(d.MisorientedEdges, "edge joins", "edges join"), r.Rule, r.repairHint())
	}
	if d.DuplicateFaces > 0 {
		warn(WarnDuplicate, "%s: %s", count(d.DuplicateFaces, "duplicate face", "duplicate faces"), duplicateMeaning(r.Rule, d))
	}
	if r.Rule == Negative && d.InwardComponents == 0 && d.ZeroBoundary && d.Triangles > 0 {
		warn(WarnNegative, "the mesh has no component that faces inward, but the rule negative calls a point inside only where W < -1/2; use the rule nonzero or positive")
	}
	if w := inwardMeaning(r.Rule, d); w != "" {
		warn(WarnInward, "%s: %s", inwardCount(d.InwardComponents, len(d.Components)), w)
	}
	if n := d.ZeroArea + d.Collapsed; n > 0 {
		warn(WarnFlat, "%s no area: points exactly on such a face are on the surface; there is no other effect", count(n, "face has", "faces have"))
	}
	if d.Float32 && d.ShortestEdge > 0 && d.Float32Spacing > d.ShortestEdge/4 {
		warn(WarnFloat32, "the coordinates are float32 numbers with a spacing of %.3g, and the shortest edge is %.3g long: the file has lost detail, perhaps because of a large offset",
			d.Float32Spacing, d.ShortestEdge)
	}
	for _, note := range r.Source.Notes {
		warn(WarnNote, "%s", note)
	}
	return out
}

// Defects reports whether the mesh is open, is inconsistently oriented, has no triangles, or has
// duplicate faces or faces without area. A mesh that OrientAuto has repaired has a defect. The flag
// --strict refuses a mesh with defects.
func (r Report) Defects() bool {
	d := &r.Diagnosis
	repaired := r.Orient == OrientAuto && r.Orientation != nil
	return repaired || !d.ZeroBoundary || !d.ConsistentOrientation || d.DuplicateFaces > 0 || d.ZeroArea+d.Collapsed > 0 || d.Triangles == 0
}

// repairHint returns advice for a mesh whose faces are not oriented consistently.
func (r Report) repairHint() string {
	hint := "orient=auto repairs the orientation"
	if r.Orientation != nil {
		hint = "the parts with these edges have no consistent orientation"
	}
	if r.Diagnosis.EvenEdges {
		hint += ", and the rule evenodd does not depend on the orientation"
	}
	return hint
}

// weldMeaning describes the changes of Options.Weld.
func weldMeaning(w *mesh.Welding) string {
	if w.Joined == 0 {
		return fmt.Sprintf("weld=%g joined no vertices", w.Tolerance)
	}
	text := fmt.Sprintf("weld=%g joined %s with others at most %.3g away", w.Tolerance, count(w.Joined, "vertex", "vertices"), w.Farthest)
	if w.Collapsed > 0 {
		text += ", and " + count(w.Collapsed, "face has", "faces have") + " lost a corner"
	}
	return text + "; all answers are for the welded mesh"
}

// weldHint returns advice for an open mesh whose vertices differ by rounding.
func (r Report) weldHint() string {
	if r.Diagnosis.WeldTolerance == 0 || r.Welding != nil {
		return ""
	}
	return fmt.Sprintf("; some vertices nearly coincide, and weld=%g closes the mesh", r.Diagnosis.WeldTolerance)
}

// inwardCount says how many components face inward.
func inwardCount(inward, all int) string {
	if all == 1 {
		return "the only component faces inward"
	}
	return fmt.Sprintf("%d of %d components %s inward", inward, all, map[bool]string{true: "faces", false: "face"}[inward == 1])
}

// count returns the number n and a noun, such as "1 face" or "2 faces".
func count(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, plural)
}

func edgeCounts(d *mesh.Diagnosis) string {
	var parts []string
	add := func(n int, singular, plural string) {
		if n > 0 {
			parts = append(parts, count(n, singular, plural))
		}
	}
	add(d.BoundaryEdges, "open edge", "open edges")
	add(d.MisorientedEdges, "edge between faces of opposite orientation", "edges between faces of opposite orientation")
	add(d.UnbalancedEdges, "non-manifold edge that does not cancel", "non-manifold edges that do not cancel")
	add(d.ChainLoops, "boundary piece", "boundary pieces")
	return strings.Join(parts, ", ")
}

// openMeaning describes the effect of an open mesh under the given rule.
func openMeaning(rule Rule, evenEdges bool) string {
	switch {
	case rule == EvenOdd && evenEdges:
		return "every edge has an even number of faces, so the rule evenodd counts crossings and is still exact"
	case rule == EvenOdd:
		return "the rule evenodd takes the integer nearest to the winding number"
	}
	condition := [...]string{NonZero: "|W| > 1/2 and uncertain if |W| = 1/2", Positive: "W > 1/2 and uncertain if W = 1/2", Negative: "W < -1/2 and uncertain if W = -1/2"}[rule]
	return fmt.Sprintf("under the rule %s, a point with the winding number W is inside if %s", rule, condition)
}

func duplicateMeaning(rule Rule, d *mesh.Diagnosis) string {
	if d.OppositeFaces > 0 {
		return count(d.OppositeFaces, "of them cancels its twin", "of them cancel their twins") + "; each copy of the other faces counts"
	}
	if rule == EvenOdd {
		return "under the rule evenodd, a pair of them counts as no face"
	}
	return "each copy counts"
}

// inwardMeaning describes the effect of components that face inward, or returns "".
func inwardMeaning(rule Rule, d *mesh.Diagnosis) string {
	switch {
	case d.InwardComponents == 0 || rule == EvenOdd:
		return ""
	case d.InwardComponents < len(d.Components):
		return "this is right for cavities; where such a component overlaps a component that faces outward, they cancel each other"
	case rule == Positive:
		return "no point has W > 1/2; use the rule nonzero or negative, or orient=always"
	}
	return ""
}

// Intersections counts the pairs of faces that share more than their common vertices and edges, and
// lists the first pairs. It marshals as JSON.
type Intersections = mesh.Intersections

// Intersection is one of these pairs, with its faces and its place.
type Intersection = mesh.Intersection

// IntersectionKind tells how two faces meet.
type IntersectionKind = mesh.IntersectionKind

// These are the kinds of intersections. A pair has the first kind that applies. DuplicateFaces have
// the same three vertices. OverlappingFaces are coplanar and have an area in common. CrossingFaces
// are not coplanar, and interior points of both faces coincide. TouchingFaces share a point or a
// segment on the boundary of one of them, which is not a common vertex or edge.
const (
	DuplicateFaces   = mesh.DuplicateFaces
	OverlappingFaces = mesh.OverlappingFaces
	CrossingFaces    = mesh.CrossingFaces
	TouchingFaces    = mesh.TouchingFaces
)

// Intersections finds all pairs of faces of the mesh that cross, overlap or touch each other. The
// result is exact. It lists at most limit pairs of each kind. The numbers of faces are those of the
// file. A face without area is in no pair, and Options.Orient does not affect the pairs.
//
// The search takes O(n log n + p) time, where n is the number of faces and p is the number of pairs
// of faces whose bounding boxes share a point. Two million faces of a regular mesh take about three
// seconds of processor time, which the workers share. Long thin faces and fans of narrow faces use
// oriented boxes instead. p is up to n²/2 for a soup of large random triangles, and for wide faces that
// share a vertex or an edge. So a soup of 500,000 large triangles takes hours. Give ctx a deadline if
// the mesh can be one of these.
//
// Errors: the error of ctx if ctx ends first.
func (s *Solid) Intersections(ctx context.Context, limit int) (Intersections, error) {
	index, err := s.set.Surface.Index(ctx)
	if err != nil {
		return Intersections{}, fmt.Errorf("intersections: %w", err)
	}
	r, err := intersect.FindIndexed(ctx, index.Tree, intersect.Options{
		Limit: limit, Workers: s.opt.Workers,
		Progress: func(done, total int64) { s.progress.Report("intersect", done, total) },
	})
	if err != nil {
		return Intersections{}, fmt.Errorf("intersections: %w", err)
	}
	return r, nil
}
