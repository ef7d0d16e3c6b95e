package points

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/axes"
	"github.com/inpoly/inpoly/points/table"
)

// findStations finds the columns depth, azimuth and dip.
func findStations(names []string) (at [3]int, err error) {
	for i, want := range []string{"depth", "azimuth", "dip"} {
		at[i] = -1
		for k, name := range names {
			if axes.Plain(name) == want {
				at[i] = k
			}
		}
		if at[i] < 0 {
			return at, fmt.Errorf("no column %s", want)
		}
	}
	return at, nil
}

// TestFind reads tables whose columns have other names than x, y and z.
func TestFind(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comma", "hole,depth,azimuth,dip\nA,0,90,-60\nA,10,91,-61\n", "[{0 90 -60} {10 91 -61}]"},
		{"semicolon and decimal comma", "hole;dip;azimuth;depth [m]\nA;-60,5;90;0\n", "[{0 90 -60.5}]"},
		{"more numbers", "hole,mag,depth,azimuth,dip\n7,3,0,90,-60\n", "[{0 90 -60}]"},
		{"comment", "# hole depth azimuth dip\nA 0 90 -60\n", "[{0 90 -60}]"},
		{"no rows", "hole,depth,azimuth,dip\n", "[]"},
		{"other numbers in front", "x,y,z,depth,azimuth,dip\n1,2,3,4,5,6\n", "[{4 5 6}]"},
		{"missing column", "hole,depth,azimuth,inclination\nA,0,90,-60\n", "no column dip"},
		{"no header", "A,0,90,-60\n", "no column depth"},
		{"json", `{"hole":"A","depth":0,"azimuth":90,"dip":-60}` + "\n", "[{0 90 -60}]"},
		{"json without a column", `{"hole":"A","depth":0,"azimuth":90,"d":-60}` + "\n", "no column dip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readPoints(c.text, Options{Find: findStations})
			if err != nil {
				if got = err.Error(); !errors.Is(err, table.ErrColumns) {
					t.Errorf("%v is not ErrColumns", err)
				}
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Columns has priority over Find.
func TestFindAndColumns(t *testing.T) {
	got, err := readPoints("hole,depth,azimuth,dip\n7,0,90,-60\n", Options{Columns: [3]string{"hole", "2", "3"}, Find: findStations})
	if err != nil || got != "[{7 0 90}]" {
		t.Errorf("%s, %v", got, err)
	}
}

// In an array, no column has a name.
func TestFindInArray(t *testing.T) {
	array := []byte("\x93NUMPY\x01\x00\x35\x00{'descr':'<f8','fortran_order':False,'shape':(1, 4)}\n")
	for x := range 4 {
		array = binary.LittleEndian.AppendUint64(array, math.Float64bits(float64(x+1)))
	}
	find := func(names []string) ([3]int, error) {
		if len(names) != 4 || strings.Join(names, "") != "" {
			return [3]int{}, fmt.Errorf("names %q", names)
		}
		return [3]int{3, 2, 1}, nil
	}
	if got, err := readPoints(string(array), Options{Find: find}); err != nil || got != "[{4 3 2}]" {
		t.Errorf("%s, %v", got, err)
	}
	find = func([]string) ([3]int, error) { return [3]int{}, errors.New("four columns") }
	if _, err := readPoints(string(array), Options{Find: find}); !errors.Is(err, table.ErrColumns) || !strings.Contains(err.Error(), "four columns") {
		t.Error(err)
	}
}

// readPoints returns the points of a file as text.
func readPoints(file string, opt Options) (string, error) {
	r, err := NewReader("file", strings.NewReader(file), opt)
	if err != nil {
		return "", err
	}
	list := []string{}
	var b table.Block
	for {
		if err := r.Next(&b); errors.Is(err, io.EOF) {
			return fmt.Sprint(list), nil
		} else if err != nil {
			return "", err
		}
		for _, p := range b.Points {
			list = append(list, fmt.Sprintf("{%v %v %v}", p.X, p.Y, p.Z))
		}
	}
}

// FromSource reads the rows of a Source that is no file. A Job converts them to any format.
func TestFromSource(t *testing.T) {
	inner, err := NewReader("file", strings.NewReader("x y z\n1 2 3\n4 5 6\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := FromSource("rows", inner.Source(), 18)
	if r.Name() != "rows" || r.Size() != 18 || r.Compression() != "" {
		t.Errorf("%q, %d bytes, compression %q", r.Name(), r.Size(), r.Compression())
	}
	var out strings.Builder
	job := Job{Format: "jsonl", Answer: func(context.Context, *table.Block) error { return nil }}
	sum, err := job.Run(t.Context(), r, &out)
	if want := "{\"x\":1,\"y\":2,\"z\":3}\n{\"x\":4,\"y\":5,\"z\":6}\n"; err != nil || out.String() != want || sum.Rows != 2 {
		t.Errorf("%d rows, error %v:\n%s", sum.Rows, err, out.String())
	}
}
