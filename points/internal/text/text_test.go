package text

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// TestTextOutput has a case for every kind of line, layout and column that a text can have.
func TestTextOutput(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "1,2,3\n-1,2,3\n", "1,2,3,1\n-1,2,3,0\n"},
		{"no final newline", "1,2,3\n-1,2,3", "1,2,3,1\n-1,2,3,0"},
		{"one row", "0,0,0", "0,0,0,1"},
		{"header", "x,y,z\n1,2,3\n", "x,y,z,inside\n1,2,3,1\n"},
		{"header alone", "x,y,z\n", "x,y,z,inside\n"},
		{"header of other names alone", "a,b,c\n", "a,b,c,inside\n"},
		{"header alone, cut", "x;y;z", "x;y;z;inside"},
		{"comments alone", "# nothing\n\n", "# nothing\n\n"},
		{"header order", "z,id,Y,X\n1,2,3,-4\n", "z,id,Y,X,inside\n1,2,3,-4,0\n"},
		{"units", "id,X [mm],Y [mm],Z [mm]\n7,-1,2,3\n", "id,X [mm],Y [mm],Z [mm],inside\n7,-1,2,3,0\n"},
		{"units by suffix", "t\tx_mm\ty_mm\tz_mm\n7\t-1\t2\t3\n", "t\tx_mm\ty_mm\tz_mm\tinside\n7\t-1\t2\t3\t0\n"},
		{"map", "alt,lat,lon\n1,2,-3\n", "alt,lat,lon,inside\n1,2,-3,0\n"},
		{"survey", "Northing,Easting,Elevation,n\n1,-2,3,4\n", "Northing,Easting,Elevation,n,inside\n1,-2,3,4,0\n"},
		{"other names", "a,b,c\n1,2,3\n", "a,b,c,inside\n1,2,3,1\n"},
		{"label before", "p1,-1,2,3\np2,1,2,3\n", "p1,-1,2,3,0\np2,1,2,3,1\n"},
		{"header and label", "name,u,v,w\nab,-1,2,3\ncd,1,2,3\n", "name,u,v,w,inside\nab,-1,2,3,0\ncd,1,2,3,1\n"},
		{"semicolon", "x;y;z\n1;2;3\n", "x;y;z;inside\n1;2;3;1\n"},
		{"decimal comma", "x;y;z\n-1,5;2,25;3\n0,5;2;3,0\n", "x;y;z;inside\n-1,5;2,25;3;0\n0,5;2;3,0;1\n"},
		{"decimal comma in quotes", "n,x,y,z\n\"a,b\",\"-1,5\",\"2,25\",3\n,\" 0,5 \" ,2,-1\n", "n,x,y,z,inside\n\"a,b\",\"-1,5\",\"2,25\",3,0\n,\" 0,5 \" ,2,-1,1\n"},
		{"decimal comma in quotes, no header", "\"-0,125\",\"2,25\",nan\n\"1e-1\",\"1,5\",3\n", "\"-0,125\",\"2,25\",nan,uncertain\n\"1e-1\",\"1,5\",3,1\n"},
		{"decimal comma, tab", "-1,5\t2,25\t3\n", "-1,5\t2,25\t3\t0\n"},
		{"decimal comma, blank", "-1,5 2,25 3\n", "-1,5 2,25 3 0\n"},
		{"comma and blank", "-1.5, 2, 3\n", "-1.5, 2, 3,0\n"},
		{"bar", "1|2|3\n", "1|2|3|1\n"},
		{"tab", "1\t2\t3\r\n", "1\t2\t3\t1\r\n"},
		{"blanks", "  1  2   3  \n-1 2 3\n", "  1  2   3   1\n-1 2 3 0\n"},
		{"blanks and tabs", " 1\t2 3\n", " 1\t2 3\t1\n"},
		{"CR LF", "x,y,z\r\n1,2,3\r\n-1,2,3", "x,y,z,inside\r\n1,2,3,1\r\n-1,2,3,0"},
		{"mixed line ends", "1,2,3\r\n-1,2,3\n", "1,2,3,1\r\n-1,2,3,0\n"},
		{"mark", "\ufeffx,y,z\n1,2,3\n", "\ufeffx,y,z,inside\n1,2,3,1\n"},
		{"mark and data", "\ufeff1,2,3\n", "\ufeff1,2,3,1\n"},
		{"comments", "# a\n1,2,3\n\n  // b, \"c\n%d\n-1,2,3\n \t\n", "# a\n1,2,3,1\n\n  // b, \"c\n%d\n-1,2,3,0\n \t\n"},
		{"header in a comment", "# z y x\n1 2 -3\n", "# z y x inside\n1 2 -3 0\n"},
		{"header in a comment of another width", "# z y x\n1 2 -3 4\n", "# z y x\n1 2 -3 4 1\n"},
		{"comment that names nothing", "# some y points\n1 2 -3\n", "# some y points\n1 2 -3 1\n"},
		{"count line", "2\n1 2 3\n-1 2 3\n", "2\n1 2 3 1\n-1 2 3 0\n"},
		{"more columns", "1,2,3,red,\n-1,2,3,\"a,\"\"b\"\n", "1,2,3,red,,1\n-1,2,3,\"a,\"\"b\",0\n"},
		{"line end in quotes", "x,y,z,t\n1,2,3,\"a\nb\"\n-1,2,3,\"\r\n\"\r\n", "x,y,z,t,inside\n1,2,3,\"a\nb\",1\n-1,2,3,\"\r\n\",0\r\n"},
		{"quoted numbers", "\"x\",\"y\",\"z\"\n\"1\",\" 2 \",\"3\"\n", "\"x\",\"y\",\"z\",inside\n\"1\",\" 2 \",\"3\",1\n"},
		{"quoted label before", "n,x,y,z\n\"a,b\",-1,2,3\n", "n,x,y,z,inside\n\"a,b\",-1,2,3,0\n"},
		{"stray quote", "5\" pipe,x,y,z\n3\" pipe,-1,2,3\n", "5\" pipe,x,y,z,inside\n3\" pipe,-1,2,3,0\n"},
		{"empty cells", "x,y,z\n,2,3\n1,,3\n1,2,\n", "x,y,z,inside\n,2,3,uncertain\n1,,3,uncertain\n1,2,,uncertain\n"},
		{"nan", "1,2,NaN\n1,-nan(ind),3\n\"\",1,1\n", "1,2,NaN,uncertain\n1,-nan(ind),3,uncertain\n\"\",1,1,uncertain\n"},
		{"infinite", "inf,2,3\n-Infinity,2,3\n", "inf,2,3,1\n-Infinity,2,3,0\n"},
		{"missing words", "x;y;z\nNA;n/a;NULL\n-;None;1,5\n", "x;y;z;inside\nNA;n/a;NULL;uncertain\n-;None;1,5;uncertain\n"},

		{"missing, blanks", "1 NA 3\n-1 2 3\n", "1 NA 3 uncertain\n-1 2 3 0\n"},
		{"label of a row with nothing", "p1,,,\np2,-1,2,3\n", "p1,,,,uncertain\np2,-1,2,3,0\n"},
		{"R", "\"x\" \"y\" \"z\" \"w\"\n\"1\" -1 2 3 4\n\"2\" 1 2 3 4\n", "\"x\" \"y\" \"z\" \"w\" inside\n\"1\" -1 2 3 4 0\n\"2\" 1 2 3 4 1\n"},
		{"suffixed", "time;x_pos;y_pos;z_pos\n7;-1;2;3\n", "time;x_pos;y_pos;z_pos;inside\n7;-1;2;3;0\n"},
		{"centers and normals", "id,nx,ny,nz,cx,cy,cz\n7,8,8,8,-1,2,3\n", "id,nx,ny,nz,cx,cy,cz,inside\n7,8,8,8,-1,2,3,0\n"},
		{"meters", "id,x(m),y(m),z(m)\n7,-1,2,3\n", "id,x(m),y(m),z(m),inside\n7,-1,2,3,0\n"},
		{"sep", "\ufeffsep=;\r\nx;y;z\r\n-1;2;3\r\n", "\ufeffsep=;\r\nx;y;z;inside\r\n-1;2;3;0\r\n"},
		{"molecule", "2\nwater, 300 K\nO -1 2 3\nH 1 2 3\n", "2\nwater, 300 K\nO -1 2 3 0\nH 1 2 3 1\n"},
		{"molecule without a comment", "2\n\nO -1 2 3\nH 1 2 3\n", "2\n\nO -1 2 3 0\nH 1 2 3 1\n"},
		{"taken name", "x,y,z,inside\n1,2,3,4\n", "x,y,z,inside,inside_2\n1,2,3,4,1\n"},
		{"signs and points", "+1,.5,5.\n-.5,+.5e-3,1E5\n", "+1,.5,5.,1\n-.5,+.5e-3,1E5,0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunk := range []int{1, 7, 0} {
				got, _, err := files.Run([]byte(c.in), Options{Block: chunk}, insideColumn)
				if err != nil || got != c.want {
					t.Fatalf("chunk %d: %q\ngot  %q, %v\nwant %q", chunk, c.in, got, err, c.want)
				}
			}
		})
	}
}

func TestTextAnswerColumns(t *testing.T) {
	cols := []table.Column{{Name: "state", Kind: table.State}, {Name: "w", Kind: table.Number}, {Name: "d", Kind: table.Number}, {Name: "inside", Kind: table.Inside}}
	got, sum, err := files.Run([]byte("x;y;z\n1,5;2;3\n-1;2;3\n;1;1\n0;0;0"), Options{}, cols)
	want := "x;y;z;state;w;d;inside\n1,5;2;3;in;1,5;2,5;1\n-1;2;3;out;-1;0;0\n;1;1;uncertain;nan;nan;uncertain\n0;0;0;on;0;1;1"
	if err != nil || got != want {
		t.Fatalf("got  %q, %v\nwant %q", got, err, want)
	}
	if sum.Rows != 4 || sum.Sides != [4]int64{1, 1, 1, 1} || sum.NonFinite != (table.Tally{Count: 1, First: 4}) {
		t.Errorf("summary %+v", sum)
	}
	if sum.Min != (r3.Vector{X: -1}) || sum.Max != (r3.Vector{X: 1.5, Y: 2, Z: 3}) {
		t.Errorf("box %v %v", sum.Min, sum.Max)
	}
}

// TestTextErrors checks the place and the reason in the error for each bad input.
func TestTextErrors(t *testing.T) {
	long := strings.Repeat("1,2,3\n", 100_000)
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "in: unsupported point format: the file is empty"},
		{"too few", "1,2,3\n1,2\n", `in: line 2: too few columns: "1,2" has 2, but z is column 3`},
		{"too few everywhere", "# c\n1,2\n3,4\n", "in: line 2: too few columns: expected x, y and z, found 2"},
		{"too few, header", "x,y,z\n\n1,2\n", "in: line 3: the row has 2 columns, but the header in line 1 has 3: x y z"},
		{"too few, blanks", "1 2 3\n1 2  \n", `in: line 2: too few columns: "1 2" has 2, but z is column 3`},
		{"no z", "x,y,t\n1,2,3\n", "in: line 1: the header has x and y but no column for z: x y t"},
		{"text", "1,2,3\n1,2,3\n1,abc,3\n", `in: line 3: column 2 (y): "abc" is not a number`},
		{"text, named", "a,Lat,lon,height\n1,2,3,4\n1,2,3,4m\n", `in: line 3: column 4 (height): "4m" is not a number`},
		{"text, far", long + "\n# c\nx,2,3\n", `in: line 100003: column 1 (x): "x" is not a number`},
		{"no numbers", "hello world\nfoo bar baz\n", "in: line 1: too few columns: expected x, y and z, found 2"},
		{"two points", "1.2.3,4,5\n1,1,1\n", `in: line 1: column 1 (x): "1.2.3" is not a number`},
		{"quoted text", "1,2,3\n1,\"x\",3\n", `in: line 2: column 2 (y): "x" is not a number`},
		{"after quote", "1,2,3\n1,\"2\"x,3\n", `in: line 2: column 2 (y): "\"2\"x" is not a number`},
		{"decimal comma late", "1.5;2;3\n1,5;2;3\n", `in: line 2: column 1 (x): "1,5" is not a number (the file has decimal points)`},
		{"stray CR", "1,2,3\n1,2,3\r4\n", `in: line 2: column 3 (z): "3\r4" is not a number`},
		{"open quote", "1,2,3\n1,2,3,\"abc\n1,2,3\n", "in: line 2: a quoted field is never closed"},
		{"comment after number", "1,2,3\n1,2,3 # c\n", `in: line 2: column 3 (z): "3 # c" is not a number`},
		{"two words", "hello world\n", "in: line 1: too few columns: expected x, y and z, found 2"},
		{"row in commas before points", "0,5;0,5;0,5\n1.5;5;5\n", `in: line 1: column 1 (x): "0,5" is not a number (the file has decimal points)`},
		{"repeated words", "a,a,b\n1,2,3\n", `in: line 1: column 1 (x): "a" is not a number`},
		{"narrow header", "x y z w\n1 2 3 4 5\n", "in: line 2: the row has 5 columns, but the header in line 1 has 4: x y z w"},
		{"decimal commas cut", "x,y,z\n0,5,0,5,0,5\n", "in: line 2: the row has 6 columns, but the header in line 1 has 3: x y z: if the commas of the numbers are decimal commas, use another delimiter, such as a semicolon"},
		{"count from 1", "1,5,6,7\n2,5,6,7\n", "in: line 1: there is no header, 4 columns hold numbers, and column 1 counts the rows: x, y and z are probably columns 2, 3 and 4"},
		{"count from 0", "a 0 5 6 7\nb 1 5 6 7\n", "in: line 1: there is no header, 4 columns hold numbers, and column 2 counts the rows: x, y and z are probably columns 3, 4 and 5"},
		{"decimal commas cut later", "x,y,z\n1,2,3\n0,5,0,5,0,5\n", "in: line 3: the row has 6 whole numbers, but other rows have 3 columns: are the commas decimal?"},
		{"no y", "x,z,w,v\n1,2,3,4\n", "in: line 1: the header has x and z but no column for y: x z w v"},
		{"no pos_z", "pos_x,pos_y,foo\n1,2,3\n", "in: line 1: the header has pos_x and pos_y but no column for z: pos_x pos_y foo"},
		{"two triples", "x1,y1,z1,x2,y2,z2\n1,2,3,4,5,6\n", "in: line 1: the header names the coordinates more than once, in columns 1, 2, 3 and in columns 4, 5, 6: x1 y1 z1 x2 y2 z2"},
		{"twice", "x,y,z,x\n1,2,3,4\n", "in: line 1: the header names the coordinates more than once: x y z x"},
		{"no coordinate names", "id,u,v,w\n1,2,3,4\n", "in: line 1: 4 columns hold numbers, and the header does not say which are x, y and z: id u v w"},
		{"minus sign", "1,2,3\n\u22121,2,3\n", "in: line 2: column 1 (x): \"\u22121\" is not a number (it has the minus sign U+2212: use a hyphen)"},
		{"sep", "sep=x\n1,2,3\n", "in: line 1: unknown delimiter after sep=: expected a semicolon, comma, tab, bar or blank"},
		{"UTF-16", "\xff\xfe1\x00,\x00", "in: unsupported point format: this is UTF-16 text: save it as UTF-8"},
		{"UTF-16 without a mark", "1\x00,\x002\x00", "in: unsupported point format: byte 1 is NUL: the file is neither UTF-8 text nor .npy (save UTF-16 text as UTF-8)"},
		{"CR", "1,2,3\r1,2,3\r", "in: unsupported point format: a line ends in CR without LF at byte 5: lines must end in LF or CR LF"},
		{"PLY", "ply\nformat ascii 1.0\n", "in: unsupported point format: this is a PLY file"},
		{"JSON list of objects", "[ {\"x\": 1}]\n", "in: unsupported point format: this is a JSON list: save it as JSON Lines, with one object in each line, or as CSV"},
		{"JSON list of lists", "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]\n", "in: unsupported point format: this is a JSON list: save it as JSON Lines, with one object in each line, or as CSV"},
		{"JSON list in lines", "[\n  1, 2, 3\n]\n", "in: unsupported point format: this is a JSON list: save it as JSON Lines, with one object in each line, or as CSV"},
		{"zip", "PK\x03\x04", "in: unsupported point format: this is a zip archive (npz, xlsx, 3mf)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, block := range []int{1000, 10} {
				_, _, err := files.Run([]byte(c.in), Options{Block: block}, insideColumn)
				if err == nil || err.Error() != c.want {
					t.Fatalf("got  %v\nwant %s", err, c.want)
				}
			}
		})
	}
}

func TestRowTooLong(t *testing.T) {
	in := append([]byte("1,2,3\n\"a"), bytes.Repeat([]byte("\nb"), maxRow)...)
	var row *table.RowError
	if _, err := files.Points(in, Options{}); !errors.As(err, &row) || row.Line != 2 || !strings.Contains(row.Reason, "not closed") {
		t.Errorf("an unclosed quote: error %v", err)
	}
	in = append([]byte("1,2,3\n"), bytes.Repeat([]byte("5"), maxRow+blockBytes)...)
	if _, err := files.Points(in, Options{}); !errors.As(err, &row) || row.Line != 2 {
		t.Errorf("an endless line: error %v", err)
	}
}

// TestWideRows reads rows of a hundred kilobytes.
func TestWideRows(t *testing.T) {
	row := "-1.5,2,3" + strings.Repeat(",some text", 10_000) + "\n"
	in := strings.Repeat(row, 30)
	want := strings.Repeat(strings.TrimSuffix(row, "\n")+",0\n", 30)
	if got, _, err := files.Run([]byte(in), Options{}, insideColumn); err != nil || got != want {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}

// TestLeadingComments reads texts whose first row follows megabytes of comments and empty lines.
func TestLeadingComments(t *testing.T) {
	long := "# \"" + strings.Repeat("comment ", 500) + "\n\n"
	comments := strings.Repeat(long, 3*sampleBytes/2/len(long))
	for _, rows := range []string{"1,2,3\n", "a,x,y,z\n7,1,2,3\n", "# a,x,y,z\n7,1,2,3\n", "1,2,3"} {
		end := strings.Index(rows, "1,2,3") + len("1,2,3")
		want := comments + strings.Replace(rows, "z\n", "z,inside\n", 1)
		want = want[:len(want)-len(rows[end:])] + ",1" + rows[end:]
		got, _, err := files.Run([]byte(comments+rows), Options{}, insideColumn)
		if err != nil || got != want {
			t.Errorf("%q: %d bytes, %v; want %d", rows, len(got), err, len(want))
		}
	}
	// The header and the first line sep=; are far before the first row.
	for _, head := range []string{"b,z,y,x\n", "sep=;\nb;z;y;x\n"} {
		row := "7,3,2,1\n"
		if strings.HasPrefix(head, "sep") {
			row = "7;3;2;1\n"
		}
		got, err := files.Points([]byte(head+comments+row), Options{})
		if want := (r3.Vector{X: 1, Y: 2, Z: 3}); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%q: %v, %v", head, got, err)
		}
	}
	for text, want := range map[string]string{
		strings.Repeat(long, maxSample/len(long)+1) + "1,2,3\n":         "bytes have no row of points: expected fewer comments",
		comments + "1,2," + strings.Repeat("3", 2*sampleBytes) + "\n":   "no row end within",
		comments + "1,2,\"" + strings.Repeat("3", 2*sampleBytes) + "\n": "no row end within",
		comments + strings.Repeat("1", 2*sampleBytes):                   "no row end within",
		strings.Repeat("1", 2*sampleBytes):                              "line 1: no row end within",
		comments:                                                        "",
	} {
		_, err := files.Points([]byte(text), Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d bytes: %v, want %q", len(text), err, want)
		}
	}
}

func TestUserColumns(t *testing.T) {
	in := []byte("x,y,z,u,v,w\n1,1,1,-2,0,0\n")
	for _, c := range []struct {
		columns [3]string
		want    r3.Vector
		err     string
	}{
		{[3]string{"u", "v", "w"}, r3.Vector{X: -2}, ""},
		{[3]string{"4", "1", "w"}, r3.Vector{X: -2, Y: 1}, ""},
		{[3]string{"u", "2", "u"}, r3.Vector{}, "different"},
		{[3]string{"u", "v", "q"}, r3.Vector{}, "q"},
		{[3]string{"0", "1", "2"}, r3.Vector{}, "0"},
		{[3]string{"7", "1", "2"}, r3.Vector{}, "column 7"},
	} {
		pts, err := files.Points(in, Options{Columns: c.columns})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: error %v, want one with %q", c.columns, err, c.err)
			}
			continue
		}
		if err != nil || len(pts) != 1 || pts[0] != c.want {
			t.Errorf("%v: %v, %v; want %v", c.columns, pts, err, c.want)
		}
	}
}

// TestTextAgreesWithStandardLibrary compares points and output with the results of encoding/csv and
// strconv. It uses blocks of different sizes, so a block can end after any row.
func TestTextAgreesWithStandardLibrary(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, 1))
	for round := range 300 {
		var in bytes.Buffer
		w := csv.NewWriter(&in)
		w.Comma = []rune{',', ';', '\t', '|'}[r.IntN(4)]
		w.UseCRLF = r.IntN(2) == 0
		extra := r.IntN(3)
		for range 1 + r.IntN(50) {
			record := make([]string, 0, 6)
			for range 3 {
				record = append(record, strconv.FormatFloat((r.Float64()-.5)*math.Pow(10, float64(r.IntN(40)-20)), "gef"[r.IntN(3)], r.IntN(20)-1, 64))
			}
			for range extra {
				record = append(record, []string{"", "a", "a\"b", "c,d;e\tf|", "line\nend", " x"}[r.IntN(6)])
			}
			if err := w.Write(record); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		want, wantOut := readStandard(t, in.Bytes(), w.Comma, w.UseCRLF)
		for _, chunk := range []int{1, 1 + r.IntN(200), 0} {
			got, err := files.Points(in.Bytes(), Options{Block: chunk})
			if err != nil || !testcloud.SamePoints(got, want) {
				t.Fatalf("round %d, chunk %d: %q\ngot  %v, %v\nwant %v", round, chunk, in.String(), got, err, want)
			}
			out, _, err := files.Run(in.Bytes(), Options{Block: chunk}, insideColumn)
			if err != nil || !sameRecords(t, out, wantOut, w.Comma) {
				t.Fatalf("round %d, chunk %d: %q\ngot  %q, %v\nwant %v", round, chunk, in.String(), out, err, wantOut)
			}
		}
	}
}

// readStandard reads CSV text with encoding/csv and strconv. It appends 1 to a record if x ≥ 0,
// and 0 otherwise.
func readStandard(t *testing.T, in []byte, comma rune, crlf bool) (pts []r3.Vector, records [][]string) {
	c := csv.NewReader(bytes.NewReader(in))
	c.Comma = comma
	records, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, rec := range records {
		var v [3]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(rec[k], 64); err != nil {
				t.Fatal(err)
			}
		}
		pts = append(pts, r3.Vector{X: v[0], Y: v[1], Z: v[2]})
		inside := "0"
		if v[0] >= 0 {
			inside = "1"
		}
		records[i] = append(rec, inside)
	}
	return pts, records
}

func sameRecords(t *testing.T, out string, want [][]string, comma rune) bool {
	c := csv.NewReader(strings.NewReader(out))
	c.Comma = comma
	got, err := c.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(got) == fmt.Sprint(want)
}

// slowPoints is a simple implementation of Source.Parse, which splits each row with Layout.fields.
func slowPoints(l *Layout, in []byte) (pts []r3.Vector, err error) {
	i := 0
	if bytes.HasPrefix(in, bom) {
		i = len(bom)
	}
	for i < len(in) {
		end, state := l.rowEnd(in, i)
		if state == rowOpen {
			return nil, errors.New("open quote")
		}
		row := in[i:end]
		if state == rowWhole || end == len(in) {
			row = bytes.TrimSuffix(row, []byte("\r"))
		}
		named := int64(i) == l.headerAt || int64(i) < l.prologue
		if !named && !isComment(in, i) && !isEmpty(in, i) {
			fields := l.fields(row, nil)
			if l.Delimiter == ',' && len(fields) > l.width && !slices.ContainsFunc(fields, isNoInteger) {
				return nil, errors.New("decimal commas")
			}
			var v [3]float64
			for axis, c := range l.Columns {
				switch {
				case c >= len(fields):
					return nil, errors.New("too few columns")
				case isMissing(fields[c]):
					v[axis] = math.NaN()
				case !l.isNumber(fields[c]):
					return nil, errors.New("text")
				default:
					v[axis], _, _ = l.parse(fields[c])
				}
			}
			pts = append(pts, r3.Vector{X: v[0], Y: v[1], Z: v[2]})
		}
		i = end + 1
	}
	return pts, nil
}

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"x,y,z\n1,2,3\n", "1;2;3,5\r\n\"4\";5;6", "# x y z\n1 2 3\n", "\ufeffa\tb\tc\n1\t2\t\n", "3\n1 2 3\n",
		"1,2,3,\"a\nb\"\n\n//c\n4,5,nan\n", "lon|lat|alt\n1|2|3", "1,2,3\n1,2\n", "\"", "1,2,-nan(x)\n", "\r\n1,2,3\r\r\n", ";;;0;|||||||||||||||||||||0;;I;0;0",
		"#\ny\n  z 1 2 3", ",0,\"\"\n0,,0,\"\"",
	} {
		f.Add([]byte(s), uint16(5))
	}
	f.Fuzz(func(t *testing.T, in []byte, chunk uint16) {
		src, err := New("in", bytes.NewReader(in), nil, -1, Options{})
		if err != nil {
			return
		}
		l := &src.Layout
		want, wantErr := slowPoints(l, in)
		for _, chunk := range []int{0, 1 + int(chunk)} {
			got, err := files.Points(in, Options{Block: chunk})
			if (err == nil) != (wantErr == nil) || err == nil && !testcloud.SamePoints(got, want) {
				t.Fatalf("%q chunk %d, %v\ngot  %v, %v\nwant %v, %v", in, chunk, l, got, err, want, wantErr)
			}
			if err != nil {
				continue
			}
			out, sum, err := files.Run(in, Options{Block: chunk}, []table.Column{{Name: "q", Kind: table.State}})
			if err != nil {
				t.Fatalf("%q: %v", in, err)
			}
			if sum.Rows != int64(len(want)) {
				t.Fatalf("%q: %d rows, want %d", in, sum.Rows, len(want))
			}
			checkPassThrough(t, in, out, sum)
			checkValues(t, in, chunk)
			checkConvert(t, in, want)
		}
	})
}

// checkConvert converts the input text to CSV, and checks that the points are equal to want.
func checkConvert(t *testing.T, in []byte, want []r3.Vector) {
	t.Helper()
	out, _, err := files.Stream(in, Options{}, nil, func(s *Source) (table.Sink, error) { return Convert(s, nil) })
	if err != nil || len(want) == 0 {
		return // checkValues checks such errors; without rows, the output can have another layout
	}
	src, err := New("in", bytes.NewReader(in), nil, -1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var opt Options
	for axis, c := range src.Axes() {
		opt.Columns[axis] = strconv.Itoa(c + 1)
	}
	if got, err := files.Points([]byte(out), opt); err != nil || !testcloud.SamePoints(got, want) {
		t.Fatalf("%q → %q: %v, %v; want %v", in, out, got, err, want)
	}
}

// checkPassThrough checks that out contains all bytes of the input in the same order. It also
// checks that the number of other bytes in out is right.
func checkPassThrough(t *testing.T, in []byte, out string, sum testcloud.Summary) {
	t.Helper()
	words := int64(0)
	for s, n := range sum.Sides {
		words += n * int64(1+len(pointio.StateWords[s]))
	}
	extra := int64(len(out)-len(in)) - words
	if extra < 0 || extra > 5 {
		t.Fatalf("%q → %q: %d bytes beside the answers", in, out, extra)
	}
	k := 0
	for i := range len(out) {
		if k < len(in) && out[i] == in[k] {
			k++
		}
	}
	if k < len(in) {
		t.Fatalf("%q → %q: input bytes are missing", in, out)
	}
}

// TestTallies checks the counts of unusual rows and of comments. It also checks the line of the
// first counted row or comment.
func TestTallies(t *testing.T) {
	for _, c := range []struct {
		name, in string
		comments int64
		rowLike  table.Tally
		ragged   table.Tally
		odd      table.Tally
	}{
		{"none", "x,y,z,t\n1,2,3,\"a,b\"\n1,2,3,\n", 0, table.Tally{}, table.Tally{}, table.Tally{}},
		{"commented label", "id,x,y,z\n#1,1,2,3\n2,1,2,3\n# said so\n#3,1,2,3\n", 3, table.Tally{Count: 2, First: 2}, table.Tally{}, table.Tally{}},
		{"commented row", "x,y,z\n1,2,3\n#1,2,3\n", 1, table.Tally{}, table.Tally{}, table.Tally{}},
		{"ragged", "x,y,z,t\n1,2,3,a\n1,2,3\n1,2,3,a,b\n1,2,3,\"a,b\",c\n", 0, table.Tally{}, table.Tally{Count: 3, First: 3}, table.Tally{}},
		{"ragged blanks", "1 2 3 a\n 1\t2 3  a  \n1 2 3 \n1 2 3 a b\r\n", 0, table.Tally{}, table.Tally{Count: 2, First: 3}, table.Tally{}},
		{"not finite", "1,2,3\n1e999,2,3\n1,-inf,nan\n", 0, table.Tally{}, table.Tally{}, table.Tally{Count: 2, First: 2}},
	} {
		for _, chunk := range []int{1, 0} {
			_, sum, err := files.Run([]byte(c.in), Options{Block: chunk}, insideColumn)
			if err != nil || sum.Comments != c.comments || sum.RowLike != c.rowLike || sum.Ragged != c.ragged || sum.NonFinite != c.odd {
				t.Errorf("%s: %+v, %v", c.name, sum, err)
			}
			if math.IsInf(sum.Max.X, 0) || math.IsInf(sum.Min.Y, 0) {
				t.Errorf("%s: infinite box %v %v", c.name, sum.Min, sum.Max)
			}
		}
	}
}

// TestColumnWarnings checks the warnings for a text with more than three columns and no header.
func TestColumnWarnings(t *testing.T) {
	for in, want := range map[string]string{
		"1,2,3\n": "", "id,x,y,z\n1,2,3,4\n": "", "a,b,c\n5,6,7\n": "",
		"5,6,7,8\n":                    "no header and 4 columns",
		"1,5,2,5,3,5\n-4,5,0,25,7,0\n": "decimal commas",
		"1,5,2,-5,3,5\n":               "no header and 6 columns of numbers: columns 1, 2 and 3 are taken for x, y and z$",
		"1,5,2,5,3,5,7\n":              "no header and 7 columns of numbers: columns 1, 2 and 3 are taken for x, y and z$",
		"3,5,6,7\n5,5,6,7\n":           "no header and 4 columns",
		"i,u,v\n1,5,6\n2,5,6\n":        "counts the rows",
	} {
		src, err := New("in", strings.NewReader(in), nil, -1, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(src.Warnings, "; "); (got == "") != (want == "") || !strings.Contains(got+"$", want) {
			t.Errorf("%q: warnings %q, want %q", in, got, want)
		}
	}
}

// TestCountedRows checks the columns that an error suggests, and that the user can take the counting
// column for x.
func TestCountedRows(t *testing.T) {
	const in = "1,5,6,7\n2,5,6,7\n3,5,6,7\n"
	_, err := New("in", strings.NewReader(in), nil, -1, Options{})
	var row *table.RowError
	if !errors.As(err, &row) || !errors.Is(err, table.ErrColumns) || row.Columns != [3]int{2, 3, 4} {
		t.Errorf("%v, %+v", err, row)
	}
	for columns, want := range map[[3]string]r3.Vector{{"2", "3", "4"}: {X: 5, Y: 6, Z: 7}, {"1", "2", "3"}: {X: 1, Y: 5, Z: 6}} {
		if pts, err := files.Points([]byte(in), Options{Columns: columns}); err != nil || pts[0] != want {
			t.Errorf("%v: %v, %v", columns, pts, err)
		}
	}
	if _, err := New("in", strings.NewReader("x,x,y,z\n1,2,3,4\n"), nil, -1, Options{Columns: [3]string{"x", "y", "z"}}); err == nil || !strings.Contains(err.Error(), `columns 1 and 2 match "x": give the number`) {
		t.Errorf("a repeated name: %v", err)
	}
}

// TestLongestRow reads a row of maxRow bytes, with and without other rows before and after it. A
// longer row must be an error.
func TestLongestRow(t *testing.T) {
	row := "1,2,3," + strings.Repeat("a", maxRow-6)
	for _, before := range []string{"", "x,y,z,t\n", "1,2,3,b\n1,2,3,b\n"} {
		for _, after := range []string{"", "\n", "\n1,2,3,b\n"} {
			if _, err := files.Points([]byte(before+row+after), Options{}); err != nil {
				t.Errorf("%q before, %q after: %v", before, after, err)
			}
			if _, err := files.Points([]byte(before+row+"a"+after), Options{}); err == nil {
				t.Errorf("%q before, %q after: a row too long is accepted", before, after)
			}
		}
	}
}

// TestEqualNames reads a header of half a million equal names. The unique names of the columns must
// take linear time.
func TestEqualNames(t *testing.T) {
	const n = 500_000
	l := Layout{Header: slices.Repeat([]string{"a"}, n)}
	fields := l.tableFields()
	if last := fields[n-1].Name; last != fmt.Sprint("a_", n) {
		t.Errorf("the last name is %q", last)
	}
}

// A text has at most maxColumns columns. Delimiters in quotes do not count.
func TestManyColumns(t *testing.T) {
	wide := func(n int) string { return strings.Repeat("1,", n-1) + "1" }
	for _, c := range []struct{ name, in, want string }{
		{"most columns", wide(maxColumns) + "\n", ""},
		{"one more", wide(maxColumns+1) + "\n", "in: line 1: 32769 columns, must be at most 32768"},
		{"after a comment", "# c\n\n" + wide(maxColumns+1) + "\n", "in: line 3: 32769 columns, must be at most 32768"},
		{"in quotes", "x,y,z,note\n1,2,3,\"" + wide(maxColumns+1) + "\"\n", ""},
		{"another delimiter", "x;y;z;note\n1;2;3;" + wide(maxColumns+1) + "\n", ""},
		{"a row without end", wide(maxRow) + "\n", "in: line 1: no row end within 1048576 bytes"},
	} {
		_, err := New("in", strings.NewReader(c.in), nil, -1, Options{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, want %q", c.name, err, c.want)
		}
	}
}
