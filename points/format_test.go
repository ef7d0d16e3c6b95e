package points

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// runToFile runs job on r and writes the output to a new File. It returns the path of this File.
func runToFile(t *testing.T, r *Reader, job Job) (string, Summary) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Abort()
	sum, err := job.Run(t.Context(), r, f)
	if err == nil {
		err = f.Commit()
	}
	if err != nil {
		t.Fatalf("%s to %q: %v", r, job.Format, err)
	}
	return path, sum
}

// viaFile runs job on the input with a File as the output. It returns the contents of the File.
func viaFile(t *testing.T, in []byte, job Job) ([]byte, Summary) {
	t.Helper()
	r, err := NewReader("in", bytes.NewReader(in), Options{block: 700})
	if err != nil {
		t.Fatal(err)
	}
	path, sum := runToFile(t, r, job)
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return out, sum
}

// TestPatchThroughPipe writes an array to a file, to memory and to a pipe. The number of rows is
// known only after the last row. The three outputs must have the same bytes and the right number of
// rows in the header.
func TestPatchThroughPipe(t *testing.T) {
	a := array{500, 3, nil}
	for i := range 1500 {
		a.v = append(a.v, float64(i%7)-3)
	}
	for _, c := range []struct {
		name string
		in   []byte
		job  Job
	}{
		{"drop", a.file("<f8", false), Job{Columns: insideColumn, Answer: dropOdd, Drops: true}},
		{"drop nothing", a.file("<f4", false), Job{Columns: insideColumn, Answer: answerHalf, Drops: true}},
		{"text", csvRows(500, 3), Job{Columns: insideColumn, Answer: answerHalf, Format: "npy"}},
		{"text, drop", csvRows(500, 3), Job{Columns: insideColumn, Answer: dropOdd, Format: "npy", Drops: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, sum := viaFile(t, c.in, c.job)
			got, memory, err := runJob(c.in, Options{block: 700}, c.job)
			if err != nil || got != string(want) || memory.Kept != sum.Kept || memory.Rows != 500 {
				t.Fatalf("in memory %d bytes of %d, or others: %v", len(got), len(want), err)
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer w.Close()
				in, err := NewReader("in", bytes.NewReader(c.in), Options{})
				if err == nil {
					_, err = c.job.Run(context.Background(), in, w)
				}
				if err != nil {
					t.Error(err)
				}
			}()
			piped, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(piped, want) {
				t.Fatalf("through a pipe %d bytes of %d, or others: %v", len(piped), len(want), err)
			}
			again, err := NewReader("out", bytes.NewReader(want), Options{})
			if err != nil {
				t.Fatal(err)
			}
			pts, err := readAll(want, Options{})
			if err != nil || again.Rows() != sum.Kept || int64(len(pts)) != sum.Kept || sum.Kept == 0 {
				t.Errorf("%d rows said, %d there, %d kept, %v", again.Rows(), len(pts), sum.Kept, err)
			}
			if c.job.Drops && c.name != "drop nothing" && sum.Kept == sum.Rows {
				t.Error("nothing was dropped")
			}
		})
	}
}

// TestPatchNeeded drops rows although Job.Drops is false. The number of rows in the header is then
// wrong. If the output cannot be patched, the Job must return an error.
func TestPatchNeeded(t *testing.T) {
	in := array{4, 3, []float64{1, 0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0}}.file("<f8", false)
	job := Job{Columns: insideColumn, Answer: dropOdd}
	if _, _, err := runJob(in, Options{}, job); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Errorf("error %v", err)
	}
	if out, sum := viaFile(t, in, job); sum.Kept == sum.Rows || !bytes.Contains(out, []byte("(3, 4)")) {
		t.Errorf("%d rows of %d are kept", sum.Kept, sum.Rows)
	}
}

// TestFormats converts a text to CSV and JSON Lines. The formats npy and xls must fail.
func TestFormats(t *testing.T) {
	text := []byte("id;X;Y;Z;name\n7;1,25;-2,5;1e-3;a\"b\n# c\n8;NA;3;4;\"c;d\"\n9;0,1;0,2;0,3;\n")
	cols := []table.Column{{Name: "inside", Kind: table.Inside}, {Name: "w", Kind: table.Number}}
	job := Job{Columns: cols, Answer: answerHalf, Format: "csv"}
	csv, _, err := runJob(text, Options{}, job)
	want := "id,X,Y,Z,name,inside,w\n7,1.25,-2.5,1e-3,\"a\"\"b\",1,1.25\n8,NA,3,4,c;d,uncertain,nan\n9,0.1,0.2,0.3,,1,0.1\n"
	if err != nil || csv != want {
		t.Fatalf("got  %q, %v\nwant %q", csv, err, want)
	}
	job.Format = "jsonl"
	lines, _, err := runJob(text, Options{}, job)
	want = `{"id":7,"X":1.25,"Y":-2.5,"Z":1e-3,"name":"a\"b","inside":true,"w":1.25}
{"id":8,"X":null,"Y":3,"Z":4,"name":"c;d","inside":null,"w":null}
{"id":9,"X":0.1,"Y":0.2,"Z":0.3,"name":"","inside":true,"w":0.1}
`
	if err != nil || lines != want {
		t.Fatalf("got  %s, %v\nwant %s", lines, err, want)
	}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	job.Format = "npy"
	if _, _, err := runJob(text, Options{}, job); !errors.Is(err, table.ErrCannotHold) || !strings.HasPrefix(err.Error(), "in: ") {
		t.Errorf("texts in an array: %v", err)
	}
	job.Format = "xls"
	if _, _, err := runJob(text, Options{}, job); err == nil || !strings.Contains(err.Error(), "csv, npy") {
		t.Errorf("unknown format: %v", err)
	}
}

// TestSameFormat checks that all bytes are copied if the output has the format of the input. If the
// input is a text with commas, the format csv must also copy all bytes.
func TestSameFormat(t *testing.T) {
	in := []byte("# c\r\nx, y, z\r\n1, 2.50, 3 \r\n")
	want := "# c\r\nx, y, z,inside\r\n1, 2.50, 3 ,1\r\n"
	for _, format := range []string{"", "text", "csv"} {
		got, _, err := runJob(in, Options{}, Job{Columns: insideColumn, Answer: answerHalf, Format: format})
		if err != nil || got != want {
			t.Errorf("format %q: %q, %v", format, got, err)
		}
	}
}

// TestRoundTrip converts an array to CSV and back to an array, and compares the values.
func TestRoundTrip(t *testing.T) {
	a := array{300, 4, nil}
	for i := range 1200 {
		a.v = append(a.v, float64(i*i*i)/7-1e6)
	}
	in := a.file("<f8", false)
	job := Job{Answer: answerHalf, Format: "csv"}
	csv, _, err := runJob(in, Options{}, job)
	if err != nil || !strings.HasPrefix(csv, "x,y,z,column_4\n") {
		t.Fatalf("%.40q, %v", csv, err)
	}
	job.Format = "npy"
	back, _ := viaFile(t, []byte(csv), job)
	if n := 1200 * 8; !bytes.Equal(back[len(back)-n:], in[len(in)-n:]) {
		t.Error("other values")
	}
}

// TestReaderTells checks how a Reader describes its input.
func TestReaderTells(t *testing.T) {
	r, err := NewReader("in", bytes.NewReader(pack(t, csvRows(3, 2), "zstd")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, want := r.String(), "text, comma, header, x y z in columns 1 2 3, zstd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if r.Format() != "text" || r.Compression() != "zstd" || r.Layout() == nil || len(r.Fields()) != 3 || r.Axes() != [3]int{0, 1, 2} || r.Warnings() != nil || r.Source() == nil {
		t.Errorf("%+v", r)
	}
	r, err = NewReader("in", bytes.NewReader(array{1, 4, make([]float64, 4)}.file("<f4", false)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.String(), "npy, <f4, x y z in columns 1 2 3"; got != want || r.Layout() != nil || r.Warnings() != nil {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFullDisk checks that output to /dev/full fails, also for a format whose header is patched. No
// file may replace the device.
func TestFullDisk(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("this system has no " + full)
	}
	for _, format := range []string{"csv", "npy", "jsonl"} {
		r, err := NewReader("in", bytes.NewReader(csvRows(1000, 3)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := Create(full)
		if err != nil {
			t.Fatal(err)
		}
		job := Job{Columns: insideColumn, Answer: answerHalf, Format: format}
		_, err = job.Run(t.Context(), r, f)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: error %v", format, err)
		}
		f.Abort()
	}
	if fi, err := os.Stat(full); err != nil || fi.Mode().IsRegular() {
		t.Errorf("the device became a file: %v", err)
	}
}

// TestHeaderlessAgain converts a text without a header to CSV, and checks that the CSV can be read.
func TestHeaderlessAgain(t *testing.T) {
	csv, _, err := runJob([]byte("7;1;2;3;4\n8;1;2;3;4\n"), Options{Columns: [3]string{"2", "3", "4"}}, Job{Columns: insideColumn, Answer: answerHalf, Format: "csv"})
	if err != nil || !strings.HasPrefix(csv, "column_1,x,y,z,column_5,inside\n") {
		t.Fatalf("%q, %v", csv, err)
	}
	if pts, err := readAll([]byte(csv), Options{}); err != nil || len(pts) != 2 || pts[0].Y != 2 {
		t.Errorf("%v, %v", pts, err)
	}
}
