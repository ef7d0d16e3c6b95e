package drillhole

import (
	"strings"
	"testing"
)

// The names of columns can state units. A unit that Read does not expect is an error, because its
// numbers would be read as other lengths or angles.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		collars, surveys string // headers
		want             string // a part of the error, or ""
	}{
		{"hole,x,y,z,max_depth", "hole,depth,azimuth (°),dip [deg]", ""},
		{"hole,x [m],y [m],z [m],max_depth (me" + "tres)", "hole,depth / m,azimuth (degrees),dip_deg", ""},
		{"hole,x_ft,y_ft,z_ft,max_depth", "hole,depth (Feet),azimuth (true north),dip", ""},
		{"hole,x,y,z,max_depth", "hole,depth (ft),azimuth,dip", ""},
		{"hole,x,y,z,max_depth", "hole,depth,azimuth (rad),dip", "surveys.csv: column 3 (azimuth (rad)) has the unit rad: convert it to degrees"},
		{"hole,x,y,z,max_depth", "hole,depth,azimuth,Dip [Gon]", "column 4 (Dip [Gon]) has the unit gon"},
		{"hole,x [m],y [m],z [ft],max_depth", "hole,depth,azimuth,dip", "collars.csv: column 4 (z [ft]) has the unit ft, but the column x [m] of the collars or surveys has the unit m"},
		{"hole,x [m],y [m],z [m],max_depth", "hole,depth (ft),azimuth,dip", "surveys.csv: column 2 (depth (ft)) has the unit ft"},
		{"hole,x,y,z,max_depth_m", "hole,depth_ft,azimuth,dip", "surveys.csv: column 2 (depth_ft) has the unit ft"},
	} {
		_, collarRows, _ := strings.Cut(collars, "\n")
		_, surveyRows, _ := strings.Cut(surveys, "\n")
		holes, err := read(c.collars+"\n"+collarRows, c.surveys+"\n"+surveyRows, Options{})
		switch {
		case c.want == "" && (err != nil || len(holes) != 2):
			t.Errorf("%s; %s: %v", c.collars, c.surveys, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s; %s: %v, want %s", c.collars, c.surveys, err, c.want)
		}
	}
	given := Options{SurveyColumns: []string{"1", "2", "3", "4"}}
	if _, err := read(collars, strings.Replace(surveys, "azimuth", "azimuth (rad)", 1), given); err == nil {
		t.Error("columns that the user chose can have another unit")
	}
}
