package points

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/formats"
)

// packedCases returns files of formats that Job.Format does not write, with the same four points.
func packedCases(t *testing.T) (files map[string][]byte, want []r3.Vector) {
	t.Helper()
	want = []r3.Vector{{X: 1, Y: 2, Z: 3}, {X: -1, Y: 0.5, Z: math.NaN()}, {X: 0, Y: 7, Z: 1e9}, {X: 4, Y: 5, Z: 6}}
	ascii := "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z id\nSIZE 8 8 8 4\nTYPE F F F I\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ascii\n"
	var features []string
	columns := [3][]float64{}
	rows := array{4, 3, nil}
	for i, p := range want {
		ascii += fmt.Sprintln(p.X, p.Y, p.Z, i)
		z := fmt.Sprint(p.Z)
		if p.Z != p.Z {
			z = "NaN"
		}
		features = append(features, fmt.Sprintf(`{"type":"Feature","geometry":{"type":"Point","coordinates":[%v,%v,%s]},"properties":{"id":%d}}`, p.X, p.Y, z, i))
		rows.v = append(rows.v, p.X, p.Y, p.Z)
		for axis, x := range []float64{p.X, p.Y, p.Z} {
			columns[axis] = append(columns[axis], x)
		}
	}
	archive := func(method uint16, members map[string][]byte) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for name, data := range members {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
			if err == nil {
				_, err = f.Write(data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	flat := func(v []float64) []byte {
		data := array{4, 1, v}.file("<f8", false)
		return bytes.Replace(data, []byte("(4, 1)"), []byte("(4,)  "), 1)
	}
	xyz := map[string][]byte{"x": flat(columns[0]), "y": flat(columns[1]), "z": flat(columns[2])}
	points := map[string][]byte{"points": rows.file("<f8", true)}
	return map[string][]byte{
		"ascii.pcd":        []byte(ascii),
		"points.geojson":   []byte(`{"type":"FeatureCollection","features":[` + strings.Join(features, ",\n") + `]}`),
		"points.geojsonl":  []byte(strings.Join(features, "\n") + "\n"),
		"stored.npz":       archive(zip.Store, xyz),
		"deflated.npz":     archive(zip.Deflate, xyz),
		"one.npz":          archive(zip.Store, points),
		"one-deflated.npz": archive(zip.Deflate, points),
		"fortran.npy":      rows.file("<f8", true),
	}, want
}

// TestPacked reads each format as a file, from a stream, and compressed. The formats must be found by
// their content.
func TestPacked(t *testing.T) {
	files, want := packedCases(t)
	same := func(got []r3.Vector) bool { return fmt.Sprint(got) == fmt.Sprint(want) }
	for name, data := range files {
		path := filepath.Join(t.TempDir(), "no-suffix")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := pointsOf(t, path, Options{}); !same(got) {
			t.Errorf("%s: %v", name, got)
		}
		for _, packed := range [][]byte{data, pack(t, data, "gzip"), pack(t, data, "zstd")} {
			if got, err := readAll(packed, Options{}); err != nil || !same(got) {
				t.Errorf("stream of %s: %v, %v", name, got, err)
			}
		}
		var shards []r3.Vector
		for i := range 3 {
			shards = append(shards, pointsOf(t, path, Options{Shard: i + 1, Shards: 3})...)
		}
		if !same(shards) {
			t.Errorf("shards of %s: %v", name, shards)
		}
		for _, format := range append(slices.Clone(readable), "") {
			if formats.Named(format).Scaled { // has no NaN
				continue
			}
			out, _ := convertFile(t, path, Options{}, Job{Columns: insideColumn, Answer: answerHalf, Format: format})
			if got := pointsOf(t, out, Options{}); !same(got) {
				t.Errorf("%s to %q: %v", name, format, got)
			}
		}
	}
}

// TestPackedResume interrupts the output of each format and continues it.
func TestPackedResume(t *testing.T) {
	files, _ := packedCases(t)
	for name, data := range files {
		c := resumeCase{name, data, Options{block: 30}, Job{Columns: insideColumn, Answer: answerHalf, Workers: 1}}
		t.Run(name, func(t *testing.T) {
			want, wantSum := c.whole(t)
			dir := t.TempDir()
			r, out := c.start(t, dir)
			job, blocks := c.job, 0
			ctx, cancel := context.WithCancel(t.Context())
			job.Progress = func(int64, int64) {
				if blocks++; blocks == 1 {
					cancel()
				}
			}
			_, _ = job.Run(ctx, r, out)
			cancel()
			r.Close()
			out.Abort()
			c.finish(t, dir, want, wantSum)
		})
	}
}

// TestJSONLinesStay checks that objects that look a little like GeoJSON are JSON Lines.
func TestJSONLinesStay(t *testing.T) {
	for _, text := range []string{
		`{"type":"Feature","x":1,"y":2,"z":3}`, `{"type":"Point","x":1,"y":2,"z":3}`, `{"features":[1],"x":1,"y":2,"z":3}`,
		`{"geometry":{"x":1,"y":2,"z":3},"type":"a"}`,
	} {
		r, err := NewReader("in", strings.NewReader(text+"\n"), Options{})
		if err != nil || r.Format() != "jsonl" {
			t.Errorf("%s: %v", text, err)
		}
	}
}
