package check

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/engine/intersect"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/mesh"
)

const (
	// listedPairs is the number of pairs of each kind that a text lists without --faces. // tuning
	listedPairs = 3
	// mostPairs is the number of pairs of each kind that --faces lists. Each pair takes about 60 bytes
	// of memory, 200 bytes of JSON, and up to 0.1 ms for its place.
	mostPairs = 100_000 // tuning
	// enoughPairs ends the search. On one thread, it then has taken about a minute. // tuning
	enoughPairs = 100_000_000
)

// strictness is the value of the flag --strict.
type strictness int

const (
	strictOff strictness = iota
	strictDefects
	strictIntersections
)

// StrictNames are the values of --strict of this command.
var StrictNames = []string{"defects", "intersections"}

// parseStrict returns the value of the flag --strict. Errors are of type term.UsageError.
func parseStrict(value string) (strictness, error) {
	switch strings.ToLower(value) {
	case "defects":
		return strictDefects, nil
	case "intersections":
		return strictIntersections, nil
	}
	switch on, err := strconv.ParseBool(value); {
	case err != nil:
		err := term.Usagef("--strict=%s: expected defects or intersections", quote.Word(value))
		return strictOff, term.DidYouMean(err, "--strict", value, StrictNames)
	case on:
		return strictDefects, nil
	}
	return strictOff, nil
}

// refuse returns an error if the mesh has problems that the flag does not accept.
func (s strictness) refuse(name string, r diagnosis) error {
	switch {
	case s != strictOff && r.Defects():
		return term.Strictf("%s has defects", name)
	case s == strictIntersections && r.intersections.Crossing+r.intersections.Overlapping > 0:
		return term.Strictf("%s has faces that cross or overlap", name)
	}
	return nil
}

// list sets the listed defects: all of them, or the examples of the diagnosis.
func (r *diagnosis) list(ctx context.Context, m *mesh.Mesh, all bool) (err error) {
	d := &r.Diagnosis
	r.defects = mesh.Defects{Open: d.Open, NonManifold: d.NonManifold, Misoriented: d.Misoriented, Duplicates: d.Duplicates, ZeroArea: d.ZeroAreaFaces}
	if all {
		r.defects, err = m.Defects(ctx)
	}
	return err
}

// intersect searches for intersections.
func (r *diagnosis) intersect(ctx context.Context, m *mesh.Mesh, workers int, all bool, progress func(stage string, done, total int64)) error {
	progress("intersect", 0, 1)
	limit := mesh.MaxExamples
	r.listed = listedPairs
	if all {
		limit, r.listed = mostPairs, mostPairs
	}
	found, err := intersect.Find(ctx, m, intersect.Options{
		Limit: limit, Stop: enoughPairs, Workers: workers,
		Progress: func(done, total int64) { progress("intersect", done, total) },
	})
	if err != nil {
		return err
	}
	r.intersections = &found
	return nil
}

// intersectionsObject returns the intersections as JSON, or nil if they were not searched.
func (r *diagnosis) intersectionsObject() any {
	x := r.intersections
	if x == nil {
		return nil
	}
	pairs := []term.Object{}
	for _, p := range x.Pairs {
		pairs = append(pairs, term.Object{"kind", p.Kind.String(), "faces", [2]int32{p.A, p.B}, "from", coordinates(p.From), "to", coordinates(p.To)})
	}
	return term.Object{
		"crossing", x.Crossing, "overlapping", x.Overlapping, "duplicate", x.Duplicate, "touching", x.Touching, "incomplete", term.OmitZero(x.Incomplete), "pairs", pairs,
	}
}

func coordinates(p r3.Vector) [3]term.Number { return term.Numbers(p) }

// printPairs prints a line for each of the first pairs of each kind. Duplicate faces have a line of
// their own, so printPairs omits them unless all pairs are listed.
func (r *diagnosis) printPairs(line func(label, format string, args ...any)) {
	if r.intersections == nil {
		return
	}
	for _, kind := range []inpoly.IntersectionKind{inpoly.CrossingFaces, inpoly.OverlappingFaces, inpoly.DuplicateFaces, inpoly.TouchingFaces} {
		if kind == inpoly.DuplicateFaces && r.listed < mostPairs {
			continue
		}
		printed := 0
		for _, p := range r.intersections.Pairs {
			if p.Kind != kind || printed == r.listed {
				continue
			}
			printed++
			place := "at " + point(p.From)
			if p.To != p.From {
				place = "from " + point(p.From) + " to " + point(p.To)
			}
			line(kind.String(), "faces %d and %d, %s", p.A, p.B, place)
		}
		if more := r.intersections.Count(kind) - int64(printed); printed > 0 && more > 0 {
			rest := "; --faces lists them"
			if r.listed == mostPairs {
				rest = ", not listed"
			}
			line("", "and %s%s", plural.Count(more, "more pair"), rest)
		}
	}
}

func point(p r3.Vector) string { return fmt.Sprintf("%.9g %.9g %.9g", p.X, p.Y, p.Z) }
