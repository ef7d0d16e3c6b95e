package points

import (
	"slices"
	"testing"

	"github.com/inpoly/inpoly/internal/formats"
)

// The writers of points are those of the list of formats, and join parts as the list says.
func TestRegistry(t *testing.T) {
	var list []string
	for _, f := range formats.Outputs() {
		list = append(list, f.Output)
		if _, joins := Joiner(f.Output); joins != f.Joins {
			t.Errorf("%s joins parts: %t, listed %t", f.Output, joins, f.Joins)
		}
	}
	got := OutputFormats()
	slices.Sort(got)
	slices.Sort(list)
	if !slices.Equal(got, list) {
		t.Errorf("writers %v, listed %v", got, list)
	}
}
