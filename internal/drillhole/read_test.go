package drillhole

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points"
)

// read reads two tables.
func read(collars, surveys string, opt Options) ([]*Hole, error) {
	c, err := points.NewReader("collars.csv", strings.NewReader(collars), points.Options{Find: FindCollars(opt.CollarColumns)})
	if err != nil {
		return nil, err
	}
	s, err := points.NewReader("surveys.csv", strings.NewReader(surveys), points.Options{Find: FindSurveys(opt.SurveyColumns)})
	if err != nil {
		return nil, err
	}
	if opt.Chord == 0 {
		opt.Chord = 0.01
	}
	return Read(c, s, opt)
}

const (
	collars = "hole,x,y,z,max_depth\nA,100,200,50,80\nB,0,0,0,\n"
	surveys = "hole,depth,azimuth,dip\nA,0,90,-60\nA,40,90,-60\nB,10,0,-90\nB,30,0,-90\n"
)

// near reports whether the coordinates of two points differ by at most e.
func near(a, b r3.Vector, e float64) bool { return a.Sub(b).Norm() <= e }

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, collars, surveys string
		opt                    Options
	}{
		{name: "usual names", collars: collars, surveys: surveys},
		{name: "other names", collars: "Easting [m];Northing [m];RL;BHID;EOH\n100;200;50;A;80\n0;0;0;B;\n",
			surveys: "BHID\tAT\tBRG\tDIP\nA\t0\t90\t-60\nB\t10\t0\t-90\nA\t40\t90\t-60\nB\t30\t0\t-90\n"},
		{name: "JSON Lines", collars: `{"hole_id":"A","x":100,"y":200,"z":50,"depth":80}` + "\n" + `{"hole_id":"B","x":0,"y":0,"z":0,"depth":null}` + "\n",
			surveys: surveys},
		{name: "positive dips", collars: collars, surveys: strings.ReplaceAll(surveys, "-", ""), opt: Options{Dip: DownPositive}},
		{name: "given columns", collars: "a,b,c,d,e\nA,50,200,100,80\nB,0,0,0,\n", surveys: strings.TrimPrefix(surveys, "hole,depth,azimuth,dip\n"),
			opt: Options{CollarColumns: []string{"a", "d", "c", "b", "e"}, SurveyColumns: []string{"1", "2", "3", "4"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			holes, err := read(c.collars, c.surveys, c.opt)
			if err != nil {
				t.Fatal(err)
			}
			a, b := holes[0], holes[1]
			if len(holes) != 2 || a.Name != "A" || b.Name != "B" || a.Late || !b.Late || a.Beyond != 40 || b.Beyond != 0 {
				t.Errorf("%+v\n%+v", *a, *b)
			}
			if got, want := a.Path.Points[len(a.Path.Points)-1], (r3.Vector{X: 140, Y: 200, Z: 50 - 40*math.Sqrt(3)}); !near(got, want, 1e-12) {
				t.Errorf("A ends at %v, want %v", got, want)
			}
			// A vertical hole has exact coordinates.
			if got, want := fmt.Sprint(b.Path.Points, b.Path.Depths), "[(0.000000000000000000000000, 0.000000000000000000000000, 0.000000000000000000000000)"; !strings.HasPrefix(got, want) {
				t.Errorf("B is %s", got)
			}
			if got, want := b.Path.Points[len(b.Path.Points)-1], (r3.Vector{Z: -30}); got != want {
				t.Errorf("B ends at %v, want %v", got, want)
			}
		})
	}
}

// A hole that turns from down to east on a quarter of a circle has known points.
func TestQuarterCircle(t *testing.T) {
	const radius = 200 / math.Pi
	const text = "hole,depth,azimuth,dip\nA,0,90,-90\nA,100,90,0\n"
	for m, want := range []r3.Vector{{X: radius, Z: -radius}, {X: 50, Z: -50}, {Z: -100}} {
		holes, err := read("hole,x,y,z\nA,0,0,0\n", text, Options{Method: Method(m), Chord: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		path := holes[0].Path
		if got := path.Points[len(path.Points)-1]; !near(got, want, 1e-12) {
			t.Errorf("%v: the end is %v, want %v", Method(m), got, want)
		}
		if Method(m) != MinimumCurvature {
			continue
		}
		if path.Bound > 1.001e-3 || path.Bound < 1e-4 {
			t.Errorf("bound %g", path.Bound)
		}
		for i, p := range path.Points {
			if angle := path.Depths[i] / radius; !near(p, r3.Vector{X: radius * (1 - math.Cos(angle)), Z: -radius * math.Sin(angle)}, 1e-12) {
				t.Errorf("depth %v: %v", path.Depths[i], p)
			}
		}
	}
}

// Directions that differ by less than the rounding of float64 give a line, down to the smallest numbers.
func TestAlmostParallel(t *testing.T) {
	for _, azimuth := range []float64{5e-324, 1e-310, 1e-170, 1e-100, 1e-17} {
		stations := []Station{{Depth: 0, Azimuth: 0, Dip: 0}, {Depth: 40, Azimuth: azimuth, Dip: 0}}
		path, err := Desurvey(r3.Vector{}, stations, 80, MinimumCurvature, 0.01)
		if err != nil {
			t.Errorf("%g: %v", azimuth, err)
			continue
		}
		if last := path.Points[len(path.Points)-1]; !near(last, r3.Vector{Y: 80}, path.Bound) || path.Bound > 1e-11 {
			t.Errorf("%g: the hole ends at %v ± %g", azimuth, last, path.Bound)
		}
	}
}

func TestReadErrors(t *testing.T) {
	const ok = "hole,depth,azimuth,dip\nA,0,90,-60\nB,0,0,-90\nB,9,0,-90\n"
	for _, c := range []struct{ name, collars, surveys, want string }{
		{"no collar", collars, ok + "C,0,0,-90\n", "surveys.csv:5: column 1 (hole): hole C has no collar in collars.csv"},
		{"other case", collars, ok + "a,1,0,-90\n", "surveys.csv:5: column 1 (hole): hole a has no collar in collars.csv: did you mean A?"},
		{"no survey", collars, "hole,depth,azimuth,dip\nA,0,90,-60\n", "collars.csv:3: hole B: surveys.csv has no survey of this hole"},
		{"two collars", collars + "A,1,2,3,4\n", ok, "collars.csv:4: column 1 (hole): hole A has another collar in line 2"},
		{"no name", collars + ",1,2,3,4\n", ok, "collars.csv:4: column 1 (hole): expected the name of a hole"},
		{"no name in survey", collars, ok + ",1,2,3\n", "surveys.csv:5: column 1 (hole): expected the name of a hole"},
		{"no coordinate", "hole,x,y,z\nA,1,,3\n", ok, "collars.csv:2: column 3 (y): expected a number, found a missing value"},
		{"infinite coordinate", "hole,x,y,z\nA,1,inf,3\n", ok, "collars.csv:2: column 3 (y): expected a finite number, found +Inf"},
		{"huge coordinate", "hole,x,y,z\nA,1,1e305,3\n", ok, "collars.csv:2: hole A: the coordinates of the collar are too large"},
		{"no collars", "hole,x,y,z\n", ok, "collars.csv: the table has no collars"},
		{"maximum depth", "hole,x,y,z,depth\nA,1,2,3,0\n", ok, "collars.csv:2: column 5 (depth): maximum depth 0: must be positive"},
		{"maximum depth is a word", "hole,x,y,z,depth\nA,1,2,3,deep\n", ok, "collars.csv:2: column 5 (depth): expected a number, found \"deep\""},
		{"duplicate depth", collars, ok + "B,9,0,-90\n", "surveys.csv:5: column 2 (depth): depth 9: hole B has this depth in line 4 too"},
		{"not sorted", collars, ok + "B,8,0,-90\n", "surveys.csv:5: column 2 (depth): depth 8: must be above the previous depth of hole B, which is 9 in line 4"},
		{"negative depth", collars, ok + "B,-8,0,-90\n", "surveys.csv:5: column 2 (depth): depth -8: must not be negative"},
		{"too deep", collars, ok + "A,80.5,0,-90\n", "surveys.csv:5: column 2 (depth): depth 80.5: exceeds the maximum depth of hole A, which is 80 in collars.csv"},
		{"azimuth", collars, ok + "B,10,360.1,-90\n", "surveys.csv:5: column 3 (azimuth): azimuth 360.1: must be from 0 to 360"},
		{"negative azimuth", collars, ok + "B,10,-1,-90\n", "surveys.csv:5: column 3 (azimuth): azimuth -1: must be from 0 to 360"},
		{"dip", collars, ok + "B,10,0,-91\n", "surveys.csv:5: column 4 (dip): dip -91: must be from -90 to 90"},
		{"positive dip", collars, ok + "B,10,0,1\n", "surveys.csv:5: column 4 (dip): dip 1: the table has positive dips"},
		{"dip is NaN", collars, ok + "B,10,0,nan\n", "surveys.csv:5: column 4 (dip): expected a finite number, found NaN"},
		{"azimuth is missing", collars, ok + "B,10,,-90\n", "surveys.csv:5: column 3 (azimuth): expected a number, found a missing value"},
		{"azimuth is a word", collars, ok + "B,10,north,-90\n", "surveys.csv:5: "},
		{"missing cells", collars, ok + "B,10,0\n", "surveys.csv:5: "},
		{"no length", collars, "hole,depth,azimuth,dip\nA,0,90,-60\nB,0,0,-90\n", "collars.csv:3: hole B: the hole has no length"},
		{"reversal", collars, ok + "B,20,0,90\n", "surveys.csv:5: column 4 (dip)"},
		{"no dip", collars, "hole,depth,azimuth,inclination\nA,0,90,-60\n", "there is no column dip: the columns are hole, depth, azimuth, inclination"},
		{"two depths", "hole,x,y,z,depth,eoh\nA,1,2,3,4,5\n", ok, "columns 5 (depth) and 6 (eoh) can both be the column maxdepth"},
		{"no y", "hole,x,z\nA,1,2\n", ok, "there are no columns for y of the collars"},
		{"no names", "A,1,2,3\n", ok, "there is no column hole: the columns have no names"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(c.collars, c.surveys, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	_, err := read(collars, ok+"B,20,0,90\n", Options{Dip: DownNegative})
	if want := "collars.csv:3: hole B: from depth 9 to 20: opposite directions"; !errors.Is(err, ErrReversal) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	_, err = read(collars, ok+"B,20,90,0\n", Options{Chord: 1e-30})
	if !errors.Is(err, ErrChords) {
		t.Error(err)
	}
	_, err = read("hole,x,y,z,depth\nA,1e301,0,0,1e301\n", "hole,depth,azimuth,dip\nA,0,90,0\n", Options{})
	if !errors.Is(err, ErrTooFar) {
		t.Error(err)
	}
}

// FuzzRead checks that Read returns either holes with finite paths or an error with the name of a file.
func FuzzRead(f *testing.F) {
	f.Add(collars, surveys)
	f.Add("hole,x,y,z\n1,2,3,4\n", "hole,depth,azimuth,dip\n1,0,0,-90\n1,1e300,1e-300,-0\n")
	f.Fuzz(func(t *testing.T, collars, surveys string) {
		holes, err := read(collars, surveys, Options{Dip: DownNegative, Chord: 1})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "collars.csv") && !strings.HasPrefix(err.Error(), "surveys.csv") {
				t.Errorf("error %v names no file", err)
			}
			return
		}
		for _, h := range holes {
			n := len(h.Path.Points)
			if n < 2 || n != len(h.Path.Depths) || !(h.Path.Depths[n-1] > 0) || !(h.Path.Bound < math.Inf(1)) {
				t.Errorf("%+v", *h)
			}
		}
	})
}
