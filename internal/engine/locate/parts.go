package locate

import "context"

// Parts selects the parts of a Set that BuildParts builds at once. A query that needs another part
// builds it later.
type Parts uint8

// The parts of a Set.
const (
	All         Parts = iota // the surface, and a method for sides and winding numbers
	SurfaceOnly              // the surface; rays through the tree answer queries of points
	Tree                     // also the tree over all faces
)

// partsOf sets the parts in a pointer to inpoly.Options. Package inpoly sets partsOf in an init
// function, because this package cannot import inpoly.
var partsOf func(options any, parts Parts)

// ProvideParts sets the function that Need calls. Only package inpoly calls ProvideParts, once.
func ProvideParts(set func(options any, parts Parts)) { partsOf = set }

// Need sets in options, a pointer to inpoly.Options, which parts a Solid with these options builds.
// It is for packages of this module that query few sides or none. Methods and numbers of expected
// points then have no effect.
func Need(options any, parts Parts) { partsOf(options, parts) }

// BuildParts is like Build, but builds only some parts.
func BuildParts(ctx context.Context, s *Surface, w Workload, name string, parts Parts) (*Set, error) {
	if parts == All {
		return Build(ctx, s, w, name)
	}
	if err := CheckEpsilon(w.Epsilon, s.mesh); err != nil {
		return nil, err
	}
	if parts == Tree {
		if _, err := s.Index(ctx); err != nil {
			return nil, err
		}
	}
	set := &Set{Surface: s, Workers: s.opt.Workers, reason: "no method was built", work: w}
	measured.fill(set, w, Method{Name: RayCrossing}, Built{Locator: rays{s}}, false)
	return set, ctx.Err()
}
