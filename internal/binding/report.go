package binding

import (
	"reflect"

	"github.com/inpoly/inpoly"
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

// MarshalJSON implements json.Marshaler.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	return appendJSON(nil, reflect.ValueOf(plain(r)))
}
