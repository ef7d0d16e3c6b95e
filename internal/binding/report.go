package binding

import (
	"context"
	"reflect"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/lazy"
)

// Report describes all solids. As JSON, the names of all fields begin with a lower-case letter, times
// are seconds, points are arrays of three numbers, and numbers that are not finite are null.
type Report struct {
	Names    []string        // names of the solids
	Warnings []string        // with the name of the solid if there are several
	Defects  bool            // see inpoly.Report.Defects
	Solids   []inpoly.Report // in the order of Names
}

// Report returns the report of all solids.
func (s *Solid) Report() Report {
	r := s.Assembly.Report()
	warnings := r.Warnings()
	if len(r.Solids) == 1 {
		warnings = r.Solids[0].Warnings()
	}
	return Report{Names: r.Names, Warnings: warnings, Defects: r.Defects(), Solids: r.Solids}
}

// ReportWith is like Report. It calls progress, unless it is nil, with the stage "diagnose" for each
// solid. If ctx ends first, ReportWith returns the error of ctx at once.
func (s *Solid) ReportWith(ctx context.Context, progress func(stage string, done, total int64)) (*Report, error) {
	return lazy.Detach(ctx, progress, func(gated lazy.Progress) (*Report, error) {
		n := int64(s.Len())
		gated.Report("diagnose", 0, n)
		for i := range s.Len() {
			s.Solid(i).Report() // the diagnosis stays in memory
			gated.Report("diagnose", int64(i)+1, n)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		r := s.Report()
		return &r, nil
	})
}

// MarshalJSON implements json.Marshaler.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	return appendJSON(nil, reflect.ValueOf(plain(r)))
}
