package axes

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// TestChoose checks the columns that Choose finds, or its error.
func TestChoose(t *testing.T) {
	for _, c := range []struct{ names, columns, want string }{
		{"x,y,z", "", "[0 1 2]"},
		{"id,Z,Y,X", "", "[3 2 1]"},
		{"XC,YC,ZC,inside", "", "[0 1 2]"},
		{"X [mm],Y [mm],Z [mm]", "", "[0 1 2]"},
		{"X_[mm],Y_[mm],Z_[mm]", "", "[0 1 2]"},
		{"Points:0,Points:1,Points:2", "", "[0 1 2]"},
		{"n,x_pos,y_pos,z_pos", "", "[1 2 3]"},
		{"t,position.x,position.y,position.z,normal.x,normal.y,normal.z", "", "[1 2 3]"},
		{"nx,ny,nz,x,y,z", "", "[3 4 5]"},
		{"lat,lon,alt", "", "[1 0 2]"},
		{"easting,northing,height,elevation", "", "[0 1 3]"},
		{"IJK,XC,YC,ZC,XINC,YINC,ZINC", "", "[1 2 3]"},
		{"XC,YC,ZC,XMORIG,YMORIG,ZMORIG", "", "[0 1 2]"},
		{"centroid_x,centroid_y,centroid_z,dim_x,dim_y,dim_z", "", "[0 1 2]"},
		{"xsize,ysize,zsize,mid_x,mid_y,mid_z", "", "[3 4 5]"},
		{"x,y,z,dx,dy,dz,xlen,ylen,zlen", "", "[0 1 2]"},
		{"id,Easting [m],Northing [m],RL [m],au", "", "[1 2 3]"},
		{"id,east,north,mRL,au", "", "[1 2 3]"},
		{"id,Easting [m],Northing [m],Depth", "easting,Northing,depth", "[1 2 3]"},
		{"x [m],x [ft],b,c", "x,b,c", `columns 1 and 2 match "x": give the number of the column`},
		{"2 [m],a,b,c", "2,3,4", "[1 2 3]"},
		{"X,x,y,z", "", "[1 2 3]"},
		{"X,Y,Z,x", "", "[0 1 2]"},
		{"x,Y,Z", "", "[0 1 2]"},
		{"x,Y,Z,X", "", "[3 1 2]"},
		{"x,y,z,x [in],y [in],z [in]", "", "[0 1 2]"},
		{"x,x (m),y (m),z (m)", "", "[1 2 3]"},
		{"x,y,z (m)", "", "[0 1 2]"},
		{"x (m),y,z,x (in)", "", "more than once"},
		{"x,y,z,X,Y,Z,x (m),y (m),z (m)", "", "more than once"},
		{"x [mm],y [mm],z [mm],x [in],y [in],z [in]", "", "more than once"},
		{"x,y,z,X,Y,Z", "", "more than once"},
		{"x,y,z,x", "", "more than once"},
		{"x1,y1,z1,x2,y2,z2", "", "more than once, in columns 1, 2, 3 and in columns 4, 5, 6"},
		{"x,y,w", "", "there is x and y but no column for z: the columns are x, y, w"},
		{"lon,lat,up", "", "there is lon and lat but no column for z"},
		{"a,b,c", "", "[0 1 2]"},
		{"a,b,c,d", "", "4 columns of numbers, but their names do not say which are x, y and z: the columns are a, b, c, d"},
		{"a,b", "", "2 columns of numbers"},
		{"", "", "found 1 column of numbers, but their names do not say which are x, y and z: the columns are "},
		{"x,y,#z", "", "column \"z\", which is of the type text, cannot be a coordinate"},
		{"a,#b,c,d", "", "[0 2 3]"},
		{"a,b,c,d", "b,3,D", "[1 2 3]"},
		{"a,b,c,d", "b,2,d", "columns b, 2, d: must be three different columns"},
		{"a,b,c,d", "b,5,d", "no column 5: the file has 4 columns"},
		{"a,b,c,d", "b,0,d", `no column "0": the columns are a, b, c, d`},
		{"a,b,c,d", "b,,d", `no column ""`},
		{"a,A,c,d", "a,A,c", "[0 1 2]"},
		{"x,X,c,d", "d,x,c", "[3 0 2]"},
		{"aB,Ab,c,d", "ab,c,d", `columns 1 and 2 match "ab": give the number of the column`},
		{"3,1,2", "1,2,3", "[1 2 0]"},
		{"a,#b,c,d", "a,b,c", "column \"b\", which is of the type text"},
	} {
		var fields []table.Field
		for name := range strings.SplitSeq(c.names, ",") {
			name, text := strings.CutPrefix(name, "#")
			f := table.Field{Name: name, Type: table.Float64}
			if text {
				f.Type = table.Text
			}
			fields = append(fields, f)
		}
		var columns [3]string
		if c.columns != "" {
			columns = [3]string(strings.Split(c.columns, ","))
		}
		at, err := Choose(fields, columns, nil, func(k int) bool { return IsNumber(fields[k]) })
		got := fmt.Sprint(at)
		if err != nil {
			if got = err.Error(); !errors.Is(err, table.ErrColumns) {
				t.Errorf("%s: %v is not ErrColumns", c.names, err)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, columns %q: got %s, want %s", c.names, c.columns, got, c.want)
		}
	}
}

func TestIsNumber(t *testing.T) {
	for f, want := range map[table.Field]bool{
		{Type: table.Float32}: true, {Type: table.Uint64}: true, {Type: table.Bool}: false, {Type: table.Text}: false,
		{Type: table.Text, Opaque: "a list"}: false,
	} {
		if IsNumber(f) != want {
			t.Errorf("%+v: %v, want %v", f, !want, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("x,y,z")
	f.Add("X [mm],Y [mm],x_pos")
	f.Fuzz(func(t *testing.T, header string) {
		names := strings.Split(header, ",")
		m := Find(names)
		if m.N < 3 {
			return
		}
		for a, k := range m.At {
			if k < 0 || k >= len(names) || k == m.At[(a+1)%3] {
				t.Errorf("%q: %+v", header, m)
			}
		}
	})
}
