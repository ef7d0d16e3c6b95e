package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// TestFind checks the columns of rays and segments, or the error.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		kind                  Kind
		header, columns, want string
	}{
		{Rays, "id,x,y,z,dx,dy,dz", "", "[1 2 3 4 5 6]"},
		{Rays, "dir_x,dir_y,dir_z,Easting [m],Northing [m],RL", "", "[3 4 5 0 1 2]"},
		{Rays, "ox,oy,oz,dx,dy,dz", "", "[0 1 2 3 4 5]"},
		{Rays, "origin.x,origin.y,origin.z,direction.x,direction.y,direction.z", "", "[0 1 2 3 4 5]"},
		{Rays, ",,,,,", "", "[0 1 2 3 4 5]"},
		{Rays, ",,,,,,", "", "the columns have no names, and there are 7: expected x, y, z, dx, dy, dz"},
		{Rays, "x,y,z,nx,ny,nz", "x,y,z,nx,ny,nz", "[0 1 2 3 4 5]"},
		{Rays, "x,y,z,nx,ny,nz", "", "there is no column dx"},
		{Rays, "x,y,dx,dy,dz", "", "the columns do not say which are x, y and z of the origin"},
		{Segments, "x0,y0,z0,x1,y1,z1,au", "", "[0 1 2 3 4 5]"},
		{Segments, "x1,y1,z1,x2,y2,z2", "", "[0 1 2 3 4 5]"},
		{Segments, "X_FROM,Y_FROM,Z_FROM,X_TO,Y_TO,Z_TO", "", "[0 1 2 3 4 5]"},
		{Segments, "end_x [m],end_y [m],end_z [m],start_x [m],start_y [m],start_z [m]", "", "[3 4 5 0 1 2]"},
		{Blocks, "i,j,k,x,y,z,dx,dy,dz,cu", "", "[3 4 5 6 7 8]"},
		{Blocks, "XC,YC,ZC,XINC,YINC,ZINC", "", "[0 1 2 3 4 5]"},
		{Blocks, "centroid_x,centroid_y,centroid_z,dim_x,dim_y,dim_z", "", "[0 1 2 3 4 5]"},
		{Blocks, "East,North,Elev,Size X [m],Size Y [m],Size Z [m]", "", "[0 1 2 3 4 5]"},
		{Blocks, "x,y,z", "", "there is no column dx"},
		{Blocks, "dx,dy,dz,a,b,c", "", "the columns do not say which are x, y and z of the center"},
		{Segments, "x0,y0,z0,x1,y1", "", "there is no column z1"},
		{Segments, "x0,xfrom,y0,z0,x1,y1,z1", "", "columns 1 (x0) and 2 (xfrom) can both be the column x0"},
		{Segments, "x0,y0,z0,x1,y1,z1", "1,2,3,4,5,5", "column 5 (y1) cannot have two meanings"},
	} {
		columns, err := ParseColumns(c.columns)
		if err != nil {
			t.Fatal(err)
		}
		at, err := c.kind.Find(strings.Split(c.header, ","), columns)
		got := fmt.Sprint(at)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, columns %q: %s, want %s", c.header, c.columns, got, c.want)
		}
	}
	for _, bad := range []string{"1,2,3", "a,b,c,d,e,", "1,2,3,4,5,6,7"} {
		if _, err := ParseColumns(bad); err == nil {
			t.Errorf("columns %q are accepted", bad)
		}
	}
}

// TestEnds reads the ends of segments in several formats.
func TestEnds(t *testing.T) {
	for name, text := range map[string]string{
		"comma":     "x0,y0,z0,x1,y1,z1\n0,0,0,1.5,2,3\n",
		"semicolon": "x0;y0;z0;x1;y1;z1\n0;0;0;1,5;2;3\n",
		"objects":   `{"x0":0,"y0":0,"z0":0,"x1":1.5,"y1":2,"z1":3}` + "\n",
	} {
		in, err := points.NewReader(name, strings.NewReader(text), Segments.Options(nil, ""))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Segments.NewReader(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b table.Block
		if err := r.Next(&b); err != nil {
			t.Fatal(err)
		}
		ends, err := r.Ends(nil, &b)
		if err != nil || len(ends) != 1 || ends[0] != (r3.Vector{X: 1.5, Y: 2, Z: 3}) {
			t.Errorf("%s: %v, error %v", name, ends, err)
		}
	}
}

// TestDerive repeats row k of many blocks k mod 3 times, and converts the rows to several formats.
func TestDerive(t *testing.T) {
	const n = 50_000 // several blocks
	in := []byte("id,x,y,z\n")
	want := []byte("id,x,y,z,n\n")
	for k := range n {
		in = fmt.Appendf(in, "r%d,%d,0.50,1e3\n", k, k)
		for i := range k % 3 {
			want = fmt.Appendf(want, "r%d,%d,0.50,1e3,%d\n", k, k, i)
		}
	}
	compute := func(_ context.Context, b *table.Block) (*Rows, error) {
		a := &Rows{Integers: make([][]int64, 1)}
		for k, p := range b.Points {
			for i := range int(p.X) % 3 {
				a.Origin = append(a.Origin, int32(k))
				a.Integers[0] = append(a.Integers[0], int64(i))
			}
		}
		return a, nil
	}
	run := func(compute Compute, format string, workers int) (string, error) {
		r, err := points.NewReader("rows", strings.NewReader(string(in)), points.Options{})
		if err != nil {
			return "", err
		}
		rows, copyAnswers := Derive(t.Context(), r, Limit(compute))
		var out strings.Builder
		job := points.Job{Columns: []table.Column{{Name: "n", Kind: table.Integer}}, Format: format, Answer: copyAnswers, Workers: workers}
		_, err = job.Run(t.Context(), rows, &out)
		return out.String(), err
	}
	for _, workers := range []int{1, 4} {
		if got, err := run(compute, "csv", workers); err != nil || got != string(want) {
			t.Errorf("%d workers: %d bytes, want %d, error %v", workers, len(got), len(want), err)
		}
	}
	got, err := run(compute, "jsonl", 2)
	if want := `{"id":"r1","x":1,"y":0.50,"z":1e3,"n":0}` + "\n"; err != nil || !strings.HasPrefix(got, want) {
		t.Errorf("%.100s, error %v", got, err)
	}
	failure := errors.New("failure")
	fail := func(_ context.Context, b *table.Block) (*Rows, error) {
		if b.First > 1000 {
			return nil, failure
		}
		return compute(t.Context(), b)
	}
	if _, err := run(fail, "csv", 4); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}
