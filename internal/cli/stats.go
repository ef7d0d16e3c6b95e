package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// statistics is the JSON object of --stats. The keys up to boundary_edges are fixed; more may
// follow.
type statistics struct {
	Mesh          string  `json:"mesh"`
	Triangles     int     `json:"triangles"`
	Points        int64   `json:"points"`
	Method        string  `json:"method"`
	Rule          string  `json:"rule"`
	Workers       int     `json:"workers"`
	LoadS         float64 `json:"load_s"`
	BuildS        float64 `json:"build_s"`
	QueryS        float64 `json:"query_s"`
	ReadS         float64 `json:"read_s"`
	WriteS        float64 `json:"write_s"`
	Inside        int64   `json:"inside"`
	Outside       int64   `json:"outside"`
	On            int64   `json:"on"`
	Uncertain     int64   `json:"uncertain"`
	BoundaryEdges int     `json:"boundary_edges"`

	Solids        int               `json:"solids"`
	Written       int64             `json:"written"` // rows; all of them without --keep
	Resumed       int64             `json:"resumed"` // rows of an earlier run, with --resume
	MethodReason  string            `json:"method_reason"`
	WeldS         float64           `json:"weld_s"`
	OrientS       float64           `json:"orient_s"`
	DiagnoseS     float64           `json:"diagnose_s"`
	StreamS       float64           `json:"stream_s"`
	Columns       [3]int            `json:"columns"`     // of x, y, z, from 1
	HeaderLine    int64             `json:"header_line"` // 0 without
	CommentLines  int64             `json:"comment_lines"`
	RowComments   int64             `json:"row_like_comments"`
	RaggedRows    int64             `json:"ragged_rows"`
	NonFinite     int64             `json:"nonfinite_rows"`
	WindingBound  *float64          `json:"winding_bound,omitempty"`
	Stages        map[string]uint64 `json:"stages"`
	PointsASecond float64           `json:"points_per_s"`
	Verified      *answer.Verified  `json:"verified,omitempty"` // with --verify
	Cells         *cellsShape       `json:"cells,omitempty"`    // with the method cells
}

// cellsShape describes the size of the index that the method cells builds.
type cellsShape struct {
	Cell    term.Number `json:"cell_size"`
	Bricks  int         `json:"bricks"`
	Crossed int         `json:"crossed"`
	Entries int         `json:"entries"`
	Depth   int         `json:"depth"`
	RayOnly int         `json:"handed"`
	Caps    int         `json:"fans"`
	Bytes   int64       `json:"bytes"`
}

// statistics collects the numbers of a run.
func (r *run) statistics(sum points.Summary) *statistics {
	method, reason := r.solids.Method()
	work, bound := r.query.Work()
	t := r.solids.Report().Timings
	workers := r.Workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := &statistics{
		Mesh:          r.solids.Name,
		Solids:        r.solids.Len(),
		Triangles:     r.solids.Triangles(),
		Points:        sum.Rows,
		Method:        method,
		Rule:          r.solids.Rule().String(),
		Workers:       workers,
		LoadS:         t.Load.Seconds(),
		BuildS:        t.Build.Seconds(),
		QueryS:        sum.Answered.Seconds(),
		ReadS:         sum.Read.Seconds(),
		WriteS:        sum.Write.Seconds(),
		Inside:        sum.Sides[inpoly.Inside],
		Outside:       sum.Sides[inpoly.Outside],
		On:            sum.Sides[inpoly.OnSurface],
		Uncertain:     sum.Sides[inpoly.Unknown],
		BoundaryEdges: r.solids.BoundaryEdges(),
		Written:       sum.Kept,
		Resumed:       sum.Resumed,
		MethodReason:  reason,
		WeldS:         t.Weld.Seconds(),
		OrientS:       t.Orient.Seconds(),
		DiagnoseS:     t.Diagnose.Seconds(),
		StreamS:       sum.Elapsed.Seconds(),
		CommentLines:  sum.Comments,
		RowComments:   sum.RowLike.Count,
		RaggedRows:    sum.Ragged.Count,
		NonFinite:     sum.NonFinite.Count,
		Stages: map[string]uint64{
			"rays": work.Rays, "rerays": work.Rerays, "nodes": work.Nodes, "triangles": work.Triangles,
			"filter": work.Filter, "expansion": work.Expansion, "exact": work.Exact,
			"boundary": work.Boundary, "reference": work.Reference, "fallback": work.Fallback,
		},
		PointsASecond: term.Rate(sum.Rows-sum.Resumed, sum.Elapsed),
	}
	for axis, c := range r.in.Axes() {
		s.Columns[axis] = c + 1
	}
	if l := r.in.Layout(); l != nil {
		s.HeaderLine = l.HeaderLine
	}
	if c := r.solids.Report().Solids[0].Cells; c != nil && !r.solids.Several {
		s.Cells = &cellsShape{term.Number(c.Cell), c.Bricks, c.Crossed, c.Entries, c.Depth, c.RayOnly, c.Caps, c.Bytes}
	}
	if r.Winding || r.Certify {
		s.WindingBound = &bound
	}
	if r.sample != nil {
		s.Verified = &r.verified
	}
	return s
}

// summary returns the last line for people.
func (s *statistics) summary(mesh string, in *points.Reader) string {
	header := ""
	switch l := in.Layout(); {
	case l == nil:
	case l.HeaderLine > 0:
		names := make([]string, 0, 3)
		for _, c := range l.Columns {
			if c < len(l.Header) {
				names = append(names, l.Header[c])
			}
		}
		header = fmt.Sprintf(" (%s), header in line %d", strings.Join(names, " "), l.HeaderLine)
	default:
		header = ", no header"
	}
	if s.CommentLines > 0 {
		header += ", " + plural.Count(s.CommentLines, "comment line")
	}
	suffix := ""
	if s.Written != s.Points {
		suffix = fmt.Sprintf("; %s written", plural.Count(s.Written, "row"))
	}
	if s.Resumed > 0 {
		suffix += fmt.Sprintf("; %s by the interrupted run", plural.Count(s.Resumed, "row"))
	}
	if v := s.Verified; v != nil {
		suffix += fmt.Sprintf("; %s verified", plural.Count(int64(v.Points), "point"))
		if v.Undecided > 0 {
			suffix += fmt.Sprintf(" except for %s that the direct sum does not decide", plural.Count(int64(v.Undecided), "side"))
		}
	}
	if s.Solids > 1 {
		mesh += fmt.Sprintf(": %d solids", s.Solids)
	}
	return fmt.Sprintf("%s: %d triangles, %s (%s), rule %s; %s: columns %d %d %d%s; %d points: %d inside, %d outside, %d on, %d uncertain%s; %s points/s",
		mesh, s.Triangles, s.Method, s.MethodReason, s.Rule, in.Name(), s.Columns[0], s.Columns[1], s.Columns[2], header, s.Points, s.Inside, s.Outside, s.On, s.Uncertain, suffix, term.Short(s.PointsASecond))
}
