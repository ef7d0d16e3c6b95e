package points

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/points/table"
)

// cloudCSV returns a CSV text of numbers. LAS can store its coordinates exactly.
func cloudCSV(n int) []byte {
	b := []byte("x,y,z,weight\n")
	for i := range n {
		b = fmt.Appendf(b, "%g,%g,%g,%d\n", float64(i%200-100)/4, float64(i)/8, float64(i*i%64)/2, i)
	}
	return b
}

// convertFile runs job on the input file and returns the path of the output.
func convertFile(t *testing.T, in string, opt Options, job Job) (string, Summary) {
	t.Helper()
	r, err := Open(in, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return runToFile(t, r, job)
}

func pointsOf(t *testing.T, path string, opt Options) []r3.Vector {
	t.Helper()
	r, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var pts []r3.Vector
	var b table.Block
	for err = r.Next(&b); err == nil; err = r.Next(&b) {
		pts = append(pts, b.Points...)
	}
	if err.Error() != "EOF" {
		t.Fatalf("%s: %v", r, err)
	}
	return pts
}

// samePointsAs reports whether got and want are the same points. In LAS and LAZ files, coordinates can
// differ by the scale of the file.
func samePointsAs(format string, got, want []r3.Vector) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] && (!formats.Named(format).Scaled || !(got[i].Sub(want[i]).Norm() < 1e-5)) {
			return false
		}
	}
	return true
}

// readable lists the formats that can be read and written.
var readable = OutputFormats()

// TestMatrix converts each format to every format, with and without dropped rows. It also runs a
// Job without conversion on the whole input and on shards, and writes output to memory.
func TestMatrix(t *testing.T) {
	dir := t.TempDir()
	const n = 700
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, cloudCSV(n), 0o666); err != nil {
		t.Fatal(err)
	}
	want := pointsOf(t, csv, Options{})
	var odd []r3.Vector // points that dropOdd keeps
	for _, p := range want {
		if p.X >= 0 {
			odd = append(odd, p)
		}
	}
	answered := []table.Column{{Name: "inside", Kind: table.Inside}, {Name: "w", Kind: table.Number}, {Name: "n", Kind: table.Integer}}
	for _, from := range readable {
		first, _ := convertFile(t, csv, Options{}, Job{Answer: answerHalf, Format: from})
		if got := pointsOf(t, first, Options{}); !samePointsAs(from, got, want) {
			t.Fatalf("csv to %s: %d points, or others", from, len(got))
		}
		for _, to := range append(slices.Clone(readable), "") {
			name := from + " to " + to
			format := to
			if format == "" || formats.Named(from).Scaled {
				format = from
			}
			second, sum := convertFile(t, first, Options{block: 3000}, Job{Columns: answered, Answer: answerHalf, Format: to, Workers: 2})
			if got := pointsOf(t, second, Options{}); !samePointsAs(format, got, want) || sum.Kept != n {
				t.Errorf("%s: %d points, or others", name, len(got))
			}
			r, err := Open(second, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if fields := r.Fields(); len(fields) < 7 || fields[len(fields)-3].Name != "inside" || fields[len(fields)-1].Name != "n" {
				if !formats.Named(cmp.Or(to, from)).Nameless {
					t.Errorf("%s: fields %v", name, fields)
				}
			}
			r.Close()
			dropped, sum := convertFile(t, first, Options{block: 3000}, Job{Columns: answered, Answer: dropOdd, Drops: true, Format: to, Workers: 2})
			if got := pointsOf(t, dropped, Options{}); !samePointsAs(format, got, odd) || sum.Kept != int64(len(odd)) || sum.Rows != n {
				t.Errorf("%s, dropped: %d points of %d, or others", name, len(got), len(odd))
			}
			memory(t, name, first, dropped, Job{Columns: answered, Answer: dropOdd, Drops: true, Format: to})
			memory(t, name, first, second, Job{Columns: answered, Answer: answerHalf, Format: to})
		}
		var joined []r3.Vector
		for i := range 3 {
			part, _ := convertFile(t, first, Options{Shard: i + 1, Shards: 3, block: 1000}, Job{Columns: insideColumn, Answer: answerHalf})
			got := pointsOf(t, part, Options{Columns: [3]string{"1", "2", "3"}})
			joined = append(joined, got...)
		}
		if !samePointsAs(from, joined, want) {
			t.Errorf("shards of %s: %d points of %d, or others", from, len(joined), n)
		}
	}
}

// coordinateWords has the names of the coordinates in TestNamesMatrix.
var coordinateWords = [3][]string{
	{"XC", "X [mm]", "Points:0", "x_pos", "lon", "easting", "at.x", "X", "x (m)"},
	{"YC", "Y [mm]", "Points:1", "y_pos", "lat", "northing", "at.y", "Y", "y (m)"},
	{"ZC", "Z [mm]", "Points:2", "z_pos", "alt", "elevation", "at.z", "Z", "z (m)"},
}

// TestNamesMatrix converts files with usual names of coordinates, other columns and answers to every
// format, and each result to every format again. Each file must be read with the same coordinates.
func TestNamesMatrix(t *testing.T) {
	dir := t.TempDir()
	want := []r3.Vector{{X: 0.5, Y: 0.25, Z: -1}, {X: 2, Y: -0.5, Z: 8}, {X: 3, Y: 0, Z: 1}}
	answered := []table.Column{{Name: "inside", Kind: table.Inside}, {Name: "w", Kind: table.Number}, {Name: "x", Kind: table.Integer}}
	for i, header := range []string{
		"id,XC,YC,ZC", "id,X [mm],Y [mm],Z [mm]", "Points:0,Points:1,Points:2,id", "x_pos,id,y_pos,z_pos", "id,lon,lat,alt",
		"northing,easting,elevation,id", "at.x,at.y,at.z,nx", "X,Y,Z,Normal", "id,z (m),y (m),x (m)",
	} {
		names := strings.Split(header, ",")
		order := map[string]int{} // axis of each coordinate column
		for axis, list := range coordinateWords {
			for _, n := range list {
				order[n] = axis
			}
		}
		text := header + "\n"
		for row, p := range want {
			for k, n := range names {
				if axis, ok := order[n]; ok {
					text += fmt.Sprint([3]float64{p.X, p.Y, p.Z}[axis])
				} else {
					text += fmt.Sprint(row + 7)
				}
				if text += ","; k == len(names)-1 {
					text = text[:len(text)-1] + "\n"
				}
			}
		}
		csv := filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		if err := os.WriteFile(csv, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := pointsOf(t, csv, Options{}); !samePointsAs("csv", got, want) {
			t.Fatalf("%s: %v, want %v", header, got, want)
		}
		job := Job{Columns: answered, Answer: answerHalf}
		for _, first := range readable {
			job.Format = first
			once, _ := convertFile(t, csv, Options{}, job)
			if got := pointsOf(t, once, Options{}); !samePointsAs(first, got, want) {
				t.Errorf("%s as %s: %v, want %v", header, first, got, want)
			}
			for _, second := range readable {
				job.Format = second
				twice, _ := convertFile(t, once, Options{}, job)
				format := second
				if formats.Named(first).Scaled {
					format = first
				}
				if got := pointsOf(t, twice, Options{}); !samePointsAs(format, got, want) {
					t.Errorf("%s as %s and %s: %v, want %v", header, first, second, got, want)
				}
			}
		}
	}
}

// memory runs a job whose output goes to memory, and compares the output with a file.
func memory(t *testing.T, name, in, out string, job Job) {
	t.Helper()
	r, err := Open(in, Options{block: 3000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got bytes.Buffer
	if _, err := r.Sink(job.Format, job.Columns); err != nil { // a program can call Sink before Run
		t.Fatalf("%s: %v", name, err)
	}
	if _, err := job.Run(t.Context(), r, &got); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if want, err := os.ReadFile(out); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s: %d bytes in memory, %d in a file, or others, %v", name, got.Len(), len(want), err)
	}
}

// TestJoinedTexts checks that the concatenated outputs of text shards equal the output of the whole
// text, with and without dropped rows.
func TestJoinedTexts(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(in, cloudCSV(300), 0o666); err != nil {
		t.Fatal(err)
	}
	job := Job{Columns: insideColumn, Answer: dropOdd, Drops: true}
	whole, _ := convertFile(t, in, Options{}, job)
	want, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range [][]Options{
		{{Shard: 1, Shards: 3}, {Shard: 2, Shards: 3}, {Shard: 3, Shards: 3}},
		{{Bytes: [2]int64{0, 100}}, {Bytes: [2]int64{100, 101}}, {Bytes: [2]int64{101, math.MaxInt64}}},
	} {
		var got []byte
		for _, opt := range parts {
			part, _ := convertFile(t, in, opt, job)
			data, err := os.ReadFile(part)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, data...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%+v: %d bytes, want %d, or others", parts, len(got), len(want))
		}
	}
}

// TestResumeFormats resumes outputs in all formats except Parquet. For Parquet, Run must return an
// error.
func TestResumeFormats(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, cloudCSV(700), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, from := range readable {
		in, _ := convertFile(t, csv, Options{}, Job{Answer: answerHalf, Format: from})
		data, err := os.ReadFile(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range append(slices.Clone(readable), "") {
			c := resumeCase{from + " to " + to, data, Options{block: 1000}, Job{Columns: insideColumn, Answer: dropOdd, Drops: true, Format: to, Workers: 1}}
			if formats.Named(cmp.Or(to, from)).Footer {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				want, wantSum := c.whole(t)
				for _, at := range []int{0, 3} {
					dir := t.TempDir()
					r, out := c.start(t, dir)
					job, blocks := c.job, 0
					ctx, cancel := context.WithCancel(t.Context())
					job.Progress = func(int64, int64) {
						if blocks++; blocks == at {
							cancel()
						}
					}
					if at == 0 {
						cancel()
					}
					_, err := job.Run(ctx, r, out)
					cancel()
					r.Close()
					out.Abort()
					if err != nil && !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					c.finish(t, dir, want, wantSum)
				}
			})
		}
	}
	r, err := Open(csv, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := CreateResumable(filepath.Join(dir, "out.parquet"), "key")
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Columns: insideColumn, Answer: answerHalf, Format: "parquet"}
	if _, err := job.Run(t.Context(), r, out); err == nil || !strings.Contains(err.Error(), "parquet cannot be resumed") {
		t.Errorf("error %v", err)
	}
}

// TestStreams checks that all formats except Parquet can be read from a stream.
func TestStreams(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(csv, cloudCSV(50), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, format := range readable {
		in, _ := convertFile(t, csv, Options{}, Job{Answer: answerHalf, Format: format})
		data, err := os.ReadFile(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, packed := range [][]byte{data, pack(t, data, "gzip")} {
			pts, err := readAll(packed, Options{})
			if formats.Named(format).Footer {
				if !errors.Is(err, table.ErrFormat) || !strings.Contains(err.Error(), "plain file") {
					t.Errorf("stream of %s: %v", format, err)
				}
				continue
			}
			if err != nil || len(pts) != 50 {
				t.Errorf("stream of %s: %d points, %v", format, len(pts), err)
			}
		}
		r, err := Open(in, Options{Bytes: [2]int64{10, 20}})
		if formats.Named(format).Ranges != (err == nil) {
			t.Errorf("%s: range of bytes: %v", format, err)
		}
		if err == nil {
			r.Close()
		}
	}
}
