package answer

import (
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/bvh"
)

func TestMisplaced(t *testing.T) {
	around := func(x, y, z float64) bvh.Box {
		return bvh.Box{Min: r3.Vector{X: x - 100, Y: y - 100, Z: z - 50}, Max: r3.Vector{X: x + 100, Y: y + 100, Z: z + 50}}
	}
	mesh := around(500_500, 6_000_500, -200)
	const foot, surveyFoot = 0.3048, 1200.0 / 3937
	for _, c := range []struct {
		name        string
		cloud       bvh.Box
		order, feet string
	}{
		{"elsewhere", around(400_000, 5_000_000, -200), "", ""},
		{"easting and northing exchanged", around(6_000_500, 500_500, -200), "--columns 3,2,4", ""},
		{"z first", around(-200, 500_500, 6_000_500), "--columns 3,4,2", ""},
		{"feet", around(500_500/foot, 6_000_500/foot, -200/foot), "", "--units ft:m"},
		{"survey feet", around(500_500/surveyFoot, 6_000_500/surveyFoot, -200/surveyFoot), "", "us-ft:m"},
		{"mesh in feet", around(500_500*foot, 6_000_500*foot, -200*foot), "", "--units m:ft"},
	} {
		order, feet := exchangeHint(mesh, c.cloud, [3]int{2, 3, 4}, nil), feetHint(mesh, c.cloud)
		if (order == "") != (c.order == "") || !strings.Contains(order, c.order) {
			t.Errorf("%s: %q, want %q", c.name, order, c.order)
		}
		if (feet == "") != (c.feet == "") || !strings.Contains(feet, c.feet) {
			t.Errorf("%s: %q, want %q", c.name, feet, c.feet)
		}
	}
	if hint := feetHint(around(0, 0, 0), around(300, 0, 0)); hint != "" {
		t.Errorf("beside a mesh at the origin: %q, want no hint", hint)
	}
}
