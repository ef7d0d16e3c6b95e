package points

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// beginHead returns the bytes that a sink writes before the rows. The number of rows is unknown.
func beginHead(t *testing.T, in string, opt Options, format string) []byte {
	t.Helper()
	r, err := Open(in, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sink, err := r.Sink(format, insideColumn)
	if err != nil {
		t.Fatal(err)
	}
	var head bytes.Buffer
	if err := sink.Begin(&head, -1); err != nil {
		t.Fatal(err)
	}
	return head.Bytes()
}

// TestJoinHeads converts the shards of a file, drops some rows, and joins the heads of the outputs.
// A head is all bytes before the rows. The joined head must equal the head of an output without
// shards.
func TestJoinHeads(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(csv, cloudCSV(5000), 0o666); err != nil {
		t.Fatal(err)
	}
	dropFew := func(ctx context.Context, b *table.Block) error {
		if err := answerHalf(ctx, b); err != nil {
			return err
		}
		drop := b.EnableDrop()
		for k := range drop {
			drop[k] = int64(8*b.Points[k].Y)%7 == 0
		}
		return nil
	}
	for _, c := range []struct{ from, to string }{{"csv", "npy"}, {"csv", "ply"}, {"npy", "npy"}, {"ply", "ply"}, {"las", "las"}} {
		in := csv
		if c.from != "csv" {
			in, _ = convertFile(t, csv, Options{}, Job{Answer: answerHalf, Format: c.from})
		}
		job := Job{Columns: insideColumn, Answer: dropFew, Drops: true, Format: c.to}
		out, _ := convertFile(t, in, Options{}, job)
		whole, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		const shards = 4
		heads, rows := make([][]byte, shards), make([]int64, shards)
		for i := range shards {
			opt := Options{Shard: i + 1, Shards: shards}
			out, sum := convertFile(t, in, opt, job)
			data, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			rows[i] = sum.Kept
			heads[i] = data[:len(beginHead(t, in, opt, c.to))]
		}
		joiner, ok := Joiner(c.to)
		if !ok {
			t.Fatalf("%s has no joiner", c.to)
		}
		got, err := joiner.JoinHeads(heads, rows)
		if err != nil || !bytes.HasPrefix(whole, got) || len(got) != len(beginHead(t, in, Options{}, c.to)) {
			t.Errorf("%s to %s: %v, head %q\nwant %q", c.from, c.to, err, got, whole[:len(got)])
		}
		if got, err := joiner.JoinHeads([][]byte{heads[0][:20]}, rows[:1]); err == nil {
			t.Errorf("%s: a head that is cut off became %q", c.to, got)
		}
	}
	for _, format := range []string{"csv", "parquet", "jsonl", "text", ""} {
		if _, ok := Joiner(format); ok {
			t.Errorf("%q has a joiner", format)
		}
	}
}

// arrayHead and plyHead are headers with spaces, so that the number of rows can have more digits.
const (
	arrayHead = "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4), }                                                          \n"
	plyHead   = "ply\nformat ascii 1.0\ncomment written by inpoly   \nelement vertex 0\nproperty float x\nend_header\n"
)

// TestJoinHeadsRoom checks that a larger number of rows replaces spaces in the header. If there are
// too few spaces, JoinHeads must fail.
func TestJoinHeadsRoom(t *testing.T) {
	for _, c := range []struct {
		format, head string
		rows         int64
		want         string // part of the joined header; "" means an error
	}{
		{"npy", arrayHead, 12345, "'shape': (12345, 4), }" + strings.Repeat(" ", 54) + "\n"},
		{"npy", arrayHead, 0, "'shape': (0, 4), }" + strings.Repeat(" ", 58) + "\n"},
		{"npy", strings.Replace(arrayHead, "(0, 4), }  ", "(100, 4), }", 1), 7, "(7, 4), }" + strings.Repeat(" ", 58) + "\n"},
		{"npy", "\x93NUMPY\x01\x00\x35\x00{'descr':'<f8','fortran_order':False,'shape':(0, 4)}\n", 10, ""},
		{"npy", "x", 1, ""},
		{"ply", plyHead, 123, "comment written by inpoly \nelement vertex 123\n"},
		{"ply", plyHead, 12345, ""},
		{"ply", strings.Replace(plyHead, "vertex 0", "vertex 100", 1), 7, "comment written by inpoly     \nelement vertex 7\n"},
		{"ply", plyHead + "rest", 1, "end_header\nrest"},
		{"ply", strings.Replace(plyHead, "by", "with", 1), 1, ""},
		{"ply", "ply\n", 1, ""},
		{"las", "LASF", 1, ""},
	} {
		joiner, _ := Joiner(c.format)
		got, err := joiner.JoinHeads([][]byte{[]byte(c.head)}, []int64{c.rows})
		switch {
		case c.want == "":
			if err == nil {
				t.Errorf("%s: %q, want an error", c.format, got)
			}
		case err != nil || !strings.Contains(string(got), c.want) || len(got) != len(c.head):
			t.Errorf("%s: %q, %v; want %q in %d bytes", c.format, got, err, c.want, len(c.head))
		}
	}
}

// FuzzJoinHeads checks that the joined head has the length of the first head.
func FuzzJoinHeads(f *testing.F) {
	f.Add([]byte(arrayHead), int64(12))
	f.Add([]byte(plyHead), int64(12))
	las := make([]byte, 375)
	copy(las, "LASF")
	las[24], las[25], las[94], las[96], las[105] = 1, 2, 227, 227, 20
	f.Add(las[:227], int64(0))
	f.Fuzz(func(t *testing.T, head []byte, rows int64) {
		for _, format := range []string{"npy", "ply", "las"} {
			joiner, _ := Joiner(format)
			if got, err := joiner.JoinHeads([][]byte{head}, []int64{max(0, rows)}); err == nil && len(got) != len(head) {
				t.Fatalf("%s: %q became %q", format, head, got)
			}
		}
	})
}
