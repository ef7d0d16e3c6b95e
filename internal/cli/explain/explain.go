// Package explain implements the command inpoly explain, which prints why a point is inside, on the
// surface or outside.
package explain

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/interval"
	"github.com/inpoly/inpoly/internal/plural"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	json bool
}

// Command returns the cobra command. It parses its flags itself because a point can begin with a
// minus sign.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "explain mesh x,y,z", Long: help,
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			c.DisableFlagParsing = false
			if err := c.ParseFlags(shieldPoints(args)); err != nil {
				return c.FlagErrorFunc()(c, err)
			}
			if help, err := c.Flags().GetBool("help"); help && err == nil {
				return c.Help()
			}
			if limit := c.Root().PersistentPreRunE; limit != nil { // it needs the flags
				if err := limit(c, args); err != nil {
					return err
				}
			}
			if err := c.PreRunE(c, args); err != nil { // cobra has called it before the flags were parsed
				return err
			}
			return run(c, t, &f, c.Flags().Args())
		},
	}
	c.Flags().BoolVar(&f.json, "json", false, "")
	f.DefineSolid(c.Flags(), "scale", "units", "matrix", "pose")
	t.QuietFlag(c.Flags())
	term.SetRules(c, answer.Rules)
	return c
}

// shieldPoints puts a blank in front of each argument that looks like a point with a leading minus
// sign. The flag parser then does not treat the argument as a flag. Such an argument begins with a
// minus sign and a number, and contains a comma, a
// semicolon or a blank.
func shieldPoints(args []string) []string {
	negative := regexp.MustCompile(`(?i)^-([0-9.]|inf|nan).*[,;\s]`)
	out := make([]string, len(args))
	for i, s := range args {
		if negative.MatchString(s) {
			s = " " + s
		}
		out[i] = s
	}
	return out
}

// commas puts commas in place of the blanks or semicolons between numbers.
func commas(s string) string {
	if words := strings.FieldsFunc(s, func(r rune) bool { return r == ';' || unicode.IsSpace(r) }); len(words) == 3 && !strings.Contains(s, ",") {
		return strings.Join(words, ",")
	}
	return strings.TrimSpace(s)
}

// run prints the explanations of the points args[1:] for the mesh args[0].
func run(c *cobra.Command, t *term.Terminal, f *flags, args []string) error {
	const example = "inpoly explain part.stl 1.5,2,-0.25"
	if len(args) < 2 {
		return term.WithHint(term.Usagef("explain: expected a mesh and a point, found %s", plural.Count(int64(len(args)), "argument")), example)
	}
	frame, err := f.Transform()
	if err != nil {
		return err
	}
	var given, pts []r3.Vector
	for _, s := range args[1:] {
		v, err := answer.ParseNumbers(commas(s), 3)
		if err != nil && formats.HasMeshName(s) {
			return term.WithHint(term.Usagef("explain: %s is the name of a mesh, but explain takes one mesh and points", s), example)
		}
		if err != nil {
			return term.WithHint(term.Usagef("point %w", err), cmp.Or(term.Hint(err), example))
		}
		given = append(given, r3.Vector{X: v[0], Y: v[1], Z: v[2]})
	}
	if pts = given; frame != nil {
		pts = make([]r3.Vector, len(given))
		for i, p := range given {
			pts[i] = frame.Apply(p)
		}
	}
	opt, err := f.Options()
	if err != nil {
		return err
	}
	opt.ExpectedPoints = int64(len(pts))
	solid, err := f.OpenTarget(c.Context(), t, args[0], opt, "no point was explained")
	if err != nil {
		return err
	}
	turnedFaces, turnedComponents, turned := answer.Turned(solid.Report())
	var objects []term.Object
	var text strings.Builder
	if turned != "" {
		fmt.Fprintf(&text, "mesh        %s%s\n\n", term.InputName(args[0]), turned)
	}
	uncertain := int64(0)
	for i, p := range pts {
		if err := c.Context().Err(); err != nil {
			return err
		}
		e := solid.Explain(p)
		if e.Side == inpoly.Unknown {
			uncertain++
		}
		if f.json {
			o := object(&e)
			if frame != nil {
				o = append(o, "given", term.Numbers(given[i]))
			}
			objects = append(objects, o)
			continue
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		if frame != nil {
			term.ReportLines(&text, 12)("given", "%s", exactPoint(given[i]))
		}
		printText(&text, &e)
	}
	if f.json {
		err = term.PrintJSON(t.Out, term.Object{
			"mesh", args[0], "triangles", solid.Report().Diagnosis.Triangles,
			"turned_faces", turnedFaces, "turned_components", turnedComponents, "closed", solid.Mesh().Closed(), "points", objects,
		}, "  ")
	} else {
		_, err = io.WriteString(t.Out, text.String())
	}
	if err != nil {
		return err
	}
	return term.CheckUncertain(f.Strict, uncertain, "point")
}

func printText(s *strings.Builder, e *inpoly.Explanation) {
	line := term.ReportLines(s, 12)
	line("point", "%s", exactPoint(e.Point))
	line("side", "%v: %s", e.Side, e.Because())
	line("winding", "%s", withBound(e.Winding, e.Bound))
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
	if e.Nearest.Face < 0 {
		return // no ray exists if the point is not finite or if the mesh has no faces
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
	line("", "sum %d%s; %s %s of the fan from %s along the ray", r.Crossed, without, map[bool]string{true: "less", false: "and"}[r.Boundary < 0], withBound(math.Abs(r.Boundary), r.BoundaryBound), plural.Count(int64(r.Edges), "boundary edge"))
	line("", "W = %s", withBound(r.Winding, r.Bound))
}

func faceText(f inpoly.FaceID) string {
	if f.BodyName != "" {
		return fmt.Sprintf("face %d of %q", f.Face, f.BodyName)
	}
	return fmt.Sprintf("face %d", f.Face)
}

// place formats a computed point with nine digits for each coordinate.
func place(p r3.Vector) string { return pointText(p, 9) }

// exactPoint formats a point without rounding.
func exactPoint(p r3.Vector) string { return pointText(p, -1) }

func pointText(p r3.Vector, digits int) string {
	return plural.Decimal(p.X, digits) + "," + plural.Decimal(p.Y, digits) + "," + plural.Decimal(p.Z, digits)
}

// withBound formats x and the bound of its error. The printed interval contains [x−bound, x+bound].
func withBound(x, bound float64) string {
	switch {
	case bound == 0:
		return fmt.Sprintf("%v, exactly", x+0) // adding 0 replaces −0 by 0
	case !(x-x == 0 && bound-bound == 0):
		return fmt.Sprintf("%v ± %v", x, bound)
	}
	return interval.New(x, bound).String()
}

// distanceText formats the distance to the nearest face. The sign of the distance can be unknown.
func distanceText(n *inpoly.NearFace) string {
	if math.IsNaN(n.Distance) {
		return withBound(n.Unsigned, n.Bound) + ", sign unknown"
	}
	return withBound(n.Distance, n.Bound)
}

// stages formats the number of signs that each stage of the predicates decided.
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

// object returns the explanation of a point as a JSON object. A number that is not finite is null.
// A nearest face or a ray is null if it does not exist.
func object(e *inpoly.Explanation) term.Object {
	on := []term.Object{}
	for _, f := range e.On {
		on = append(on, face(f))
	}
	var nearest, ray *term.Object
	if n := e.Nearest; n.Face >= 0 { // a ray exists only if a nearest face exists
		o := append(face(n.FaceID), "distance", term.Number(n.Distance), "unsigned", term.Number(n.Unsigned),
			"bound", term.Number(n.Bound), "point", term.Numbers(n.Point))
		nearest = &o
		r, crossings := &e.Ray, []term.Object{}
		for _, c := range r.Crossings {
			crossings = append(crossings, append(face(c.FaceID), "sign", c.Sign, "point", term.Numbers(c.Point), "distance", term.Number(c.Distance)))
		}
		ray = &term.Object{
			"target", term.Numbers(r.Target), "discarded_rays", r.Discarded, "crossings", crossings, "crossed", r.Crossed,
			"boundary_edges", r.Edges, "boundary", term.Number(r.Boundary), "boundary_bound", term.Number(r.BoundaryBound),
			"winding", term.Number(r.Winding), "bound", term.Number(r.Bound), "stages", stageCounts(r.Work),
		}
	}
	return term.Object{
		"point", term.Numbers(e.Point), "side", e.Side.String(), "because", e.Because(),
		"winding", term.Number(e.Winding), "bound", term.Number(e.Bound), "rule", e.Rule.String(), "parity", e.Parity,
		"tolerance", term.Number(e.Tolerance), "method", e.Method.String(), "method_reason", e.MethodReason,
		"stages", stageCounts(e.Work), "on", on, "nearest", nearest, "ray", ray,
	}
}

// face returns the fields of a face and its body. The body is −1 if the face belongs to no body.
func face(f inpoly.FaceID) term.Object {
	return term.Object{"face", f.Face, "body", f.Body, "body_name", term.OmitZero(f.BodyName)}
}

// stageCounts returns the number of operations of each stage.
func stageCounts(w inpoly.Stats) map[string]uint64 {
	return map[string]uint64{
		"rays": w.Rays, "rerays": w.Rerays, "filter": w.Filter, "expansion": w.Expansion, "exact": w.Exact,
		"boundary": w.Boundary, "reference": w.Reference,
	}
}
