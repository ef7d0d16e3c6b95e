package points

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTrailing adds bytes after the rows of files of all formats that state their number of rows. The answers must not
// change, and a warning must count the bytes.
func TestTrailing(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "in.csv")
	if err := os.WriteFile(csv, cloudCSV(300), 0o666); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		"pcd, ascii": []byte("VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n"),
		"pcd, compressed": []byte("VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA binary_compressed\n" +
			"\x19\x00\x00\x00\x18\x00\x00\x00\x17" + strings.Repeat("\x00\x00\x80\x3f", 6)),
		"ply, ascii":     []byte("ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6\n"),
		"ply with faces": []byte("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int l\nend_header\n1 2 3\n1 0\n"),
	}
	for _, format := range []string{"npy", "ply", "las", "pcd"} {
		path, _ := convertFile(t, csv, Options{}, Job{Answer: answerHalf, Format: format})
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[format] = data
	}
	for name, data := range files {
		for _, more := range []string{"", "a", strings.Repeat("\x00", 4000), strings.Repeat("ab", 70000)} {
			long := slices.Concat(data, []byte(more))
			path := filepath.Join(t.TempDir(), "long")
			if err := os.WriteFile(path, long, 0o666); err != nil {
				t.Fatal(err)
			}
			for _, job := range []Job{{Columns: insideColumn, Answer: answerHalf}, {Columns: insideColumn, Answer: answerHalf, Format: "csv"}, {Answer: dropOdd, Drops: true, Workers: 2}} {
				want, _, err := runJob(data, Options{}, job)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				warning := "[]"
				if len(more) > 0 {
					warning = "[" + fmt.Sprintf("number of ignored bytes after the last row: %d", len(more)) + "]"
				}
				got, sum, err := runJob(long, Options{}, job)
				if err != nil || got != want || fmt.Sprint(sum.Warnings) != warning {
					t.Errorf("%s, %d bytes more, stream: %v, %q, %d bytes of output, want %d", name, len(more), err, sum.Warnings, len(got), len(want))
				}
				out, sum := convertFile(t, path, Options{}, job)
				if b, err := os.ReadFile(out); err != nil || !bytes.Equal(b, []byte(want)) || fmt.Sprint(sum.Warnings) != warning {
					t.Errorf("%s, %d bytes more, file: %v, %q", name, len(more), err, sum.Warnings)
				}
				if n := len(pointsOf(t, path, Options{Shard: 1, Shards: 3})) + len(pointsOf(t, path, Options{Shard: 2, Shards: 3})) + len(pointsOf(t, path, Options{Shard: 3, Shards: 3})); n != int(sum.Rows) {
					t.Errorf("%s, %d bytes more: shards have %d points of %d", name, len(more), n, sum.Rows)
				}
			}
		}
	}
}
