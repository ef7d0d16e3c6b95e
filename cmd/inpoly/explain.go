package main

import (
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
)

// explainCommand is the command explain. It parses its flags itself: a point may
// begin with a minus sign.
func (a *app) explainCommand() *cobra.Command {
	var f flags
	var asJSON bool
	c := &cobra.Command{
		Use:                "explain mesh x,y,z",
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			c.DisableFlagParsing = false
			if err := c.ParseFlags(shieldPoints(args)); err != nil {
				return c.FlagErrorFunc()(c, err)
			}
			if help, err := c.Flags().GetBool("help"); help && err == nil {
				return c.Help()
			}
			return a.explain(c, &f, c.Flags().Args(), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "")
	a.solidFlags(c, &f)
	return c
}

// negative is an argument that is a point and not flags: a number after the minus,
// and a comma somewhere.
var negative = regexp.MustCompile(`(?i)^-([0-9.]|inf|nan).*,`)

// shieldPoints puts a blank before points that begin with a minus sign.
func shieldPoints(args []string) []string {
	out := make([]string, len(args))
	for i, s := range args {
		if negative.MatchString(s) {
			s = " " + s
		}
		out[i] = s
	}
	return out
}

// explain prints why points lie where they do.
func (a *app) explain(c *cobra.Command, f *flags, args []string, asJSON bool) error {
	if len(args) < 2 {
		return usageError{hinted{fmt.Errorf("%s given: explain wants a mesh and a point", plural.Count(int64(len(args)), "argument")), "inpoly explain part.stl 1.5,2,-0.25"}}
	}
	var pts []r3.Vector
	for _, s := range args[1:] {
		v, err := parseNumbers(strings.TrimSpace(s), 3)
		if err != nil {
			return usageError{hinted{fmt.Errorf("point %w", err), "inpoly explain part.stl 1.5,2,-0.25"}}
		}
		pts = append(pts, r3.Vector{X: v[0], Y: v[1], Z: v[2]})
	}
	opt, err := f.options()
	if err != nil {
		return err
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress, opt.ExpectedPoints = bar.stage, int64(len(pts))
	solid, err := a.openSolid(c.Context(), args[0], opt)
	bar.done()
	if err != nil {
		return err
	}
	a.warnReport(args[0], solid.Report())
	if f.Strict && solid.Report().Defects() {
		return strictError{fmt.Sprintf("%s has defects: nothing was answered", inputName(args[0]))}
	}
	x := &explained{Mesh: args[0], Triangles: solid.Report().Diagnosis.Triangles, Closed: solid.Mesh().Closed()}
	uncertain := int64(0)
	for _, p := range pts {
		if err := c.Context().Err(); err != nil {
			return err
		}
		e := solid.Explain(p)
		if e.Side == inpoly.Unknown {
			uncertain++
		}
		x.add(e)
	}
	if asJSON {
		err = printJSON(a.out, x)
	} else {
		err = x.print(a.out)
	}
	if err == nil && f.Strict && uncertain > 0 {
		err = strictError{fmt.Sprintf("%s uncertain", plural.Count(uncertain, "point"))}
	}
	return err
}

// print writes all for people, points apart by an empty line.
func (x *explained) print(w io.Writer) error {
	var s strings.Builder
	for i := range x.Points {
		if i > 0 {
			s.WriteByte('\n')
		}
		explainText(&s, &x.Points[i].e)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// explainText writes one point for people.
func explainText(s *strings.Builder, e *inpoly.Explanation) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(s, "%-12s%s\n", label, fmt.Sprintf(format, args...))
	}
	line("point", "%s", exactPlace(e.Point))
	line("side", "%v: %s", e.Side, e.Because())
	line("winding", "%s", within(e.Winding, e.Bound))
	line("rule", "%v", e.Rule)
	if e.Tolerance > 0 {
		line("tolerance", "%g", e.Tolerance)
	}
	line("method", "%v (%s); %s", e.Method, e.MethodReason, stages(e.Work))
	for _, f := range e.On {
		line("on", "%s", faceText(f))
	}
	if n := e.Nearest; n.Face >= 0 {
		line("nearest", "%s at %s, distance %s", faceText(n.FaceID), place(n.Point), distanceText(&n))
	}
	if !hasRay(e) {
		return
	}
	r := &e.Ray
	discarded := ""
	if r.Discarded > 0 {
		discarded = fmt.Sprintf("; %s before it met an edge or a vertex", plural.Count(int64(r.Discarded), "ray"))
	}
	line("ray", "towards %s%s; %s", place(r.Target), discarded, stages(r.Work))
	for _, x := range r.Crossings {
		line("", "%+d %s %s at %s, distance %.6g", x.Sign, map[int]string{1: "out of", -1: "into"}[x.Sign], faceText(x.FaceID), place(x.Point), x.Distance)
	}
	without := ""
	if len(e.On) > 0 {
		without = ", without the faces that the point is on"
	}
	if r.Edges == 0 {
		line("", "sum %d%s", r.Crossed, without)
		return
	}
	line("", "sum %d%s; %s %s of the fan from %s along the ray", r.Crossed, without, sign(r.Boundary), within(math.Abs(r.Boundary), r.BoundaryBound), plural.Count(int64(r.Edges), "boundary edge"))
	line("", "W = %s", within(r.Winding, r.Bound))
}

// hasRay reports whether there is a ray: the point is finite and the mesh has faces.
func hasRay(e *inpoly.Explanation) bool { return e.Nearest.Face >= 0 }

// sign joins a number to a sum.
func sign(x float64) string {
	if x < 0 {
		return "less"
	}
	return "and"
}

// faceText names a face and its body.
func faceText(f inpoly.FaceID) string {
	switch {
	case f.BodyName != "":
		return fmt.Sprintf("face %d of %q", f.Face, f.BodyName)
	}
	return fmt.Sprintf("face %d", f.Face)
}

// place writes a point that was computed and is rounded.
func place(p r3.Vector) string { return fmt.Sprintf("%.9g,%.9g,%.9g", p.X, p.Y, p.Z) }

// exactPlace writes a point so that reading gives the same.
func exactPlace(p r3.Vector) string { return fmt.Sprintf("%v,%v,%v", p.X, p.Y, p.Z) }

// within writes a number and the bound of its error; what is written encloses it.
func within(x, bound float64) string {
	switch {
	case bound == 0:
		return fmt.Sprintf("%v, exactly", x+0) // −0 becomes 0
	case !(x-x == 0 && bound-bound == 0):
		return fmt.Sprintf("%v ± %v", x, bound)
	}
	return interval.New(x, bound).String()
}

// distanceText writes the distance of the nearest face.
func distanceText(n *inpoly.NearFace) string {
	if math.IsNaN(n.Distance) {
		return within(n.Unsigned, n.Bound) + ", sign unknown"
	}
	return within(n.Distance, n.Bound)
}

// stages tells which of the stages of the predicates were needed.
func stages(w inpoly.Stats) string {
	if w.Filter+w.Expansion+w.Exact == 0 && w.Reference == 0 {
		return "no predicate needed"
	}
	text := fmt.Sprintf("signs: %d by the filter, %d by expansions, %d in arbitrary precision", w.Filter, w.Expansion, w.Exact)
	if w.Reference > 0 {
		text += "; W in arbitrary precision"
	}
	return text
}
