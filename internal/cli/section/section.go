// Package section implements the command inpoly section, which cuts a mesh with planes.
package section

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/section"
)

//go:embed help.txt
var help string

type flags struct {
	answer.Flags
	out, output, stats    string // output is the value of --format
	plane, x, y, z        string
	every, axis, from, to string
	unit                  string
	split                 bool
}

const planes = "--plane, --every, and --x, --y and --z cannot be combined"

var rules = []term.Rule{
	{Flags: "format", OneOf: formats},
	{Flags: "plane", Excludes: "x y z", Text: planes},
	{Flags: "every", Excludes: "plane x y z", Text: planes},
	{Flags: "axis from to", Requires: "every"},
}

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "section mesh", Long: help,
		Args: term.OneFile("mesh"),
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), t, &f, c.Flags().Changed, args[0])
		},
	}
	set := c.Flags()
	set.StringVarP(&f.out, "out", "o", "", "")
	set.StringVar(&f.output, "format", "", "")
	set.StringVar(&f.plane, "plane", "", "")
	set.StringVar(&f.x, "x", "", "")
	set.StringVar(&f.y, "y", "", "")
	set.StringVar(&f.z, "z", "", "")
	set.StringVar(&f.every, "every", "", "")
	set.StringVar(&f.axis, "axis", "z", "")
	set.StringVar(&f.from, "from", "", "")
	set.StringVar(&f.to, "to", "", "")
	set.StringVar(&f.unit, "unit", "", "")
	set.BoolVar(&f.split, "split", false, "")
	f.Define(set, "rule", "weld", "orient", "workers", "max-memory", "parts", "strict", "pose")
	set.StringVar(&f.stats, "stats", "", "")
	t.OutputFlags(set, &f.stats)
	term.SetRules(c, answer.Rules, rules)
	return c
}

func run(ctx context.Context, t *term.Terminal, f *flags, isSet func(flag string) bool, path string) error {
	opt, err := f.Options()
	if err != nil {
		return err
	}
	t.SetOutputs(f.out)
	p, err := f.plan(isSet)
	if err != nil {
		return term.Usage(err)
	}
	locate.Need(&opt, locate.SurfaceOnly)
	solid, err := f.OpenTarget(ctx, t, path, opt, "nothing was written")
	if err != nil {
		return err
	}
	planes, err := p.planes(solid.Box())
	if err != nil {
		return term.Usage(err)
	}
	if !solid.Mesh().Closed() {
		t.Warn("%s: the mesh is open, so the sections have contours, but no polygons and no areas", term.InputName(path))
	}
	bar := t.NewProgress()
	defer bar.Done()
	start := time.Now()
	var sum totals
	size, err := p.write(ctx, t, f, solid, path, planes, func(s *section.Section) {
		sum.add(s)
		bar.Show("section", int64(sum.sections), int64(len(planes)), "", 0)
	})
	bar.Done()
	if err != nil {
		return err
	}
	if sum.empty == sum.sections && !solid.Box().Empty() {
		sum.warnings = []string{fmt.Sprintf("%s: no plane crosses the mesh (%s)", term.InputName(path), answer.BoxText(solid.Box()))}
		t.Warn("%s", sum.warnings[0])
	}
	return t.Summarize(sum.summary(path, solid, p, size, time.Since(start)), f.stats, sum.object(path, f, solid, p, size, time.Since(start)))
}

// write cuts the mesh and writes the output. It returns the number of bytes written.
func (p *plan) write(ctx context.Context, t *term.Terminal, f *flags, solid inpoly.Target, path string, planes []section.Plane, done func(*section.Section)) (size int64, err error) {
	stack := func(visit func(i int, s *section.Section) error) error {
		return section.Stack(ctx, solid, planes, func(i int, s *section.Section) error {
			done(s)
			return visit(i, s)
		})
	}
	if p.split {
		paths := splitPaths(f.out, len(planes))
		t.SetOutputs(paths...)
		if err := t.CheckInputs(path); err != nil {
			return 0, err
		}
		return size, stack(func(i int, s *section.Section) error {
			n, err := t.WriteOutput(paths[i], func(w io.Writer) error { return p.writeSVG(w, path, s) })
			size += n
			return err
		})
	}
	return t.WriteOutput(f.out, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		var err error
		switch p.format {
		case formatSVG:
			var list []*section.Section
			if err = stack(func(_ int, s *section.Section) error { list = append(list, s); return nil }); err == nil {
				err = p.writeSVG(b, path, list...)
			}
		case formatGeoJSON:
			g := section.NewGeoJSON(b)
			if err = stack(func(_ int, s *section.Section) error { return g.Add(s) }); err == nil {
				err = g.Close()
			}
		default:
			if _, err = b.WriteString(csvHeader); err == nil {
				err = stack(func(i int, s *section.Section) error { return writeRow(b, i, s) })
			}
		}
		if err != nil {
			return err
		}
		return b.Flush()
	})
}

func (p *plan) writeSVG(w io.Writer, path string, list ...*section.Section) error {
	title := quote.Line(filepath.Base(path))
	if path == "-" {
		title = ""
	}
	return section.WriteSVG(w, list, section.SVGOptions{Unit: p.unit, Title: title})
}

// splitPaths returns the names of n files: part.svg becomes part_001.svg and so on.
func splitPaths(out string, n int) []string {
	ext := filepath.Ext(out)
	width := max(3, len(fmt.Sprint(n)))
	paths := make([]string, n)
	for i := range paths {
		paths[i] = fmt.Sprintf("%s_%0*d%s", strings.TrimSuffix(out, ext), width, i+1, ext)
	}
	return paths
}

const csvHeader = "section,x,y,z,nx,ny,nz,area,area_bound,winding_area,winding_area_bound,polygons,holes,contours,open_contours,crossings\n"

// writeRow writes the numbers of a section. Numbers that are not determined are empty.
func writeRow(w io.Writer, i int, s *section.Section) error {
	p := s.Plane
	area := ",,,"
	polygons, holes := "", ""
	if s.Closed {
		cell := func(x float64) string {
			if x-x != 0 {
				return ""
			}
			return fmt.Sprint(x)
		}
		area = cell(s.Area) + "," + cell(s.AreaBound) + "," + cell(s.WindingArea) + "," + cell(s.WindingAreaBound)
		n, h, _, _ := count(s)
		polygons, holes = fmt.Sprint(n), fmt.Sprint(h)
	}
	_, _, contours, open := count(s)
	_, err := fmt.Fprintf(w, "%d,%v,%v,%v,%v,%v,%v,%s,%s,%s,%d,%d,%d\n",
		i, p.Origin.X, p.Origin.Y, p.Origin.Z, p.Normal.X, p.Normal.Y, p.Normal.Z, area, polygons, holes, contours, open, s.Crossings)
	return err
}

// count counts the polygons, the holes, the contours and the open contours.
func count(s *section.Section) (polygons, holes, contours, open int) {
	for _, p := range s.Polygons {
		holes += len(p.Holes)
	}
	for _, c := range s.Contours {
		if !c.Closed {
			open++
		}
	}
	return len(s.Polygons), holes, len(s.Contours), open
}

// totals are sums over sections.
type totals struct {
	sections, empty, polygons, holes, contours, open, crossings int
	closed                                                      bool
	least, most                                                 float64 // areas; NaN if one is not determined
	bound                                                       float64 // of coordinates
	warnings                                                    []string
}

func (a *totals) add(s *section.Section) {
	polygons, holes, contours, open := count(s)
	if a.sections == 0 {
		a.least, a.most = s.Area, s.Area
	}
	a.least, a.most = min(a.least, s.Area), max(a.most, s.Area)
	a.sections++
	if contours == 0 {
		a.empty++
	}
	a.polygons, a.holes, a.contours, a.open = a.polygons+polygons, a.holes+holes, a.contours+contours, a.open+open
	a.crossings, a.closed, a.bound = a.crossings+s.Crossings, s.Closed, max(a.bound, s.Bound)
}

func (a *totals) summary(path string, solid inpoly.Target, p *plan, size int64, took time.Duration) term.Summary {
	n := func(n int, noun string) string { return plural.Grouped(int64(n), noun) }
	line := n(a.sections, "section") + ": "
	switch {
	case a.empty == a.sections:
		line += "the planes do not cross the mesh"
	case a.closed:
		line += n(a.polygons, "polygon") + ", " + n(a.holes, "hole") + ", area "
		if math.IsNaN(a.least) {
			line += "not determined: it is too large"
			break
		}
		line += plural.GroupedDecimal(a.least, 6)
		if a.sections > 1 {
			line += " to " + plural.GroupedDecimal(a.most, 6)
		}
	default:
		line += n(a.contours, "contour") + ", " + plural.Group(int64(a.open), ",") + " open"
	}
	_, _, turned := answer.Turned(solid.Report())
	return term.Summary{Lines: []string{line}, Details: []string{
		term.Detail("mesh", "%s: %s%s", term.InputName(path), plural.Count(int64(solid.Report().Diagnosis.Triangles), "triangle"), turned),
		term.Detail("rule", "%v", solid.Report().Rule),
		term.Detail("lines", "%d contours, %d open, %s where they cross or touch", a.contours, a.open, plural.Count(int64(a.crossings), "point")),
		term.Detail("bound", "%.2g for each coordinate", a.bound),
		term.Detail("output", "%s, %s", p.format, plural.Count(size, "byte")),
		term.Detail("time", "%.3g s", took.Seconds()),
	}}
}

func (a *totals) object(path string, f *flags, solid inpoly.Target, p *plan, size int64, took time.Duration) term.Object {
	r := solid.Report()
	turnedFaces, turnedComponents, _ := answer.Turned(r)
	return term.Object{
		"mesh", path, "triangles", r.Diagnosis.Triangles, "rule", r.Rule.String(), "out", f.out, "format", p.format, "bytes", size,
		"mesh_closed", solid.Mesh().Closed(), "sections", a.sections, "empty", a.empty, "polygons", a.polygons, "holes", a.holes,
		"contours", a.contours, "open_contours", a.open, "crossings", a.crossings,
		"area_min", term.Number(a.least), "area_max", term.Number(a.most), "coordinate_bound", term.Number(a.bound),
		"turned_faces", turnedFaces, "turned_components", turnedComponents,
		"load_s", r.Timings.Load.Seconds(), "section_s", took.Seconds(), "warnings", append(append([]string{}, r.Warnings()...), a.warnings...),
	}
}
