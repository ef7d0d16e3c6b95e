package points_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// corpus returns the files of the corpus of LAS files with a suffix. The environment variable
// INPOLY_CORPUS_LAS is its folder.
func corpus(t *testing.T, suffix string) (paths []string) {
	t.Helper()
	dir := os.Getenv("INPOLY_CORPUS_LAS")
	if dir == "" {
		t.Skip("INPOLY_CORPUS_LAS is not set")
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, suffix) {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s: %v", len(paths), dir, err)
	}
	return paths
}

// rewrite returns the output of the points in a format without answers.
func rewrite(r *points.Reader, format string, workers int) ([]byte, points.Summary, error) {
	var out bytes.Buffer
	job := points.Job{Format: format, Workers: workers, Answer: func(context.Context, *table.Block) error { return nil }}
	sum, err := job.Run(context.Background(), r, &out)
	return out.Bytes(), sum, err
}

// rewriteFile is rewrite for a file.
func rewriteFile(path, format string, opt points.Options, workers int) ([]byte, points.Summary, error) {
	r, err := points.Open(path, opt)
	if err != nil {
		return nil, points.Summary{}, err
	}
	defer r.Close()
	return rewrite(r, format, workers)
}

// rewriteBytes is rewrite for a stream.
func rewriteBytes(b []byte, format string) ([]byte, error) {
	r, err := points.NewReader("stream", bytes.NewReader(b), points.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, _, err := rewrite(r, format, 2)
	return out, err
}

// records returns the points of a LAS file.
func records(b []byte) []byte {
	le := binary.LittleEndian
	n, size := int64(le.Uint32(b[107:])), int64(le.Uint16(b[105:]))
	if b[25] >= 4 && le.Uint64(b[247:]) != 0 {
		n = int64(le.Uint64(b[247:]))
	}
	at := int64(le.Uint32(b[96:]))
	return b[at : at+n*size]
}

// TestLAZCorpus converts all LAZ files of the corpus to LAS and back. It compares the points with the
// LAS file of the same name, if there is one.
func TestLAZCorpus(t *testing.T) {
	for _, path := range corpus(t, ".laz") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			las, sum, err := rewriteFile(path, "las", points.Options{}, 3)
			if err != nil {
				t.Fatal(err)
			}
			isCOPC := strings.HasSuffix(path, ".copc.laz")
			if isCOPC != (len(sum.Warnings) == 1) {
				t.Errorf("warnings %v", sum.Warnings)
			}
			packed, err := rewriteBytes(las, "laz")
			if err != nil {
				t.Fatal(err)
			}
			again, err := rewriteBytes(packed, "las")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(again, las) {
				t.Error("LAS, LAZ and LAS again differ")
			}
			direct, _, err := rewriteFile(path, "", points.Options{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(direct, packed) {
				t.Error("LAZ of LAZ and LAZ of LAS differ")
			}
			shards(t, path, las)
			for _, twin := range []string{strings.TrimSuffix(path, ".laz"), strings.TrimSuffix(path, ".laz") + ".las"} {
				b, err := os.ReadFile(twin)
				if err == nil && strings.HasSuffix(twin, ".las") && !bytes.Equal(records(b), records(las)) {
					t.Errorf("the points differ from %s", filepath.Base(twin))
				}
			}
		})
	}
}

// shards checks that the shards of a LAZ file have each point once, in order.
func shards(t *testing.T, path string, whole []byte) {
	t.Helper()
	var all []byte
	for i := range 3 {
		part, _, err := rewriteFile(path, "las", points.Options{Shard: i + 1, Shards: 3}, 2)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, records(part)...)
	}
	if !bytes.Equal(all, records(whole)) {
		t.Error("the shards do not have the points of the file")
	}
	if _, err := points.Open(path, points.Options{Bytes: [2]int64{1, 100}}); err == nil || !strings.Contains(err.Error(), "--shard") {
		t.Errorf("a range of bytes: error %v", err)
	}
}

// TestLASToLAZ compresses all LAS files of the corpus that can be read, and restores them.
func TestLASToLAZ(t *testing.T) {
	n := 0
	for _, path := range corpus(t, ".las") {
		las, _, err := rewriteFile(path, "", points.Options{}, 1)
		if err != nil {
			continue // other tests check the damaged files
		}
		n++
		packed, _, err := rewriteFile(path, "laz", points.Options{}, 3)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		again, err := rewriteBytes(packed, "las")
		if err != nil || !bytes.Equal(again, las) {
			t.Errorf("%s: the restored file differs: %v", filepath.Base(path), err)
		}
	}
	if n < 30 {
		t.Errorf("only %d files were read", n)
	}
}

// lazCloud returns a LAZ file of n rows.
func lazCloud(t *testing.T, n int, workers int) []byte {
	t.Helper()
	var text strings.Builder
	text.WriteString("x,y,z,intensity,class\n")
	for i := range n {
		fmt.Fprintf(&text, "%d.%03d,%d.5,%d,%d,%d\n", i%977, i%1000, i/977, i%31, i%4096, i%7)
	}
	r, err := points.NewReader("cloud", strings.NewReader(text.String()), points.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := rewrite(r, "laz", workers)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestLAZWorkers checks that the output does not depend on the number of workers, and that a
// compressed stream has the same points.
func TestLAZWorkers(t *testing.T) {
	const n = 120_000 // two whole chunks and a part
	one, many := lazCloud(t, n, 1), lazCloud(t, n, 5)
	if !bytes.Equal(one, many) {
		t.Fatal("the outputs of 1 and 5 workers differ")
	}
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	w.Write(one)
	w.Close()
	path := filepath.Join(t.TempDir(), "a.laz")
	if err := os.WriteFile(path, one, 0o666); err != nil {
		t.Fatal(err)
	}
	want, sum, err := rewriteFile(path, "csv", points.Options{}, 2)
	if err != nil || sum.Rows != n {
		t.Fatalf("%d rows: %v", sum.Rows, err)
	}
	got, err := rewriteBytes(zip.Bytes(), "csv")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the points of the compressed stream differ: %v", err)
	}
	shards(t, path, func() []byte { b, _, _ := rewriteFile(path, "las", points.Options{}, 1); return b }())
}

// TestLAZEmpty converts a table without rows.
func TestLAZEmpty(t *testing.T) {
	r, err := points.NewReader("empty", strings.NewReader("x,y,z\n"), points.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := rewrite(r, "laz", 1)
	if err != nil {
		t.Fatal(err)
	}
	las, err := rewriteBytes(b, "las")
	if err != nil || len(records(las)) != 0 {
		t.Errorf("%d bytes of points: %v", len(records(las)), err)
	}
}

// TestLAZDamaged cuts a file and changes bytes. Each damage of the header or the chunk table must be an
// error. A damaged chunk can go undetected, because LAZ has no checksums.
func TestLAZDamaged(t *testing.T) {
	cuts, places := 10, 60
	if os.Getenv("INPOLY_FULL") == "1" {
		cuts, places = 50, 300
	}
	whole := lazCloud(t, 60_000, 2)
	for cut := 1; cut < len(whole); cut += max(1, len(whole)/cuts) {
		if _, err := rewriteBytes(whole[:len(whole)-cut], "csv"); err == nil {
			t.Errorf("a file without its last %d bytes is accepted", cut)
		}
	}
	for at := 0; at < len(whole); at += max(1, len(whole)/places) {
		b := bytes.Clone(whole)
		b[at] ^= 0x55
		r, err := points.NewReader("damaged", bytes.NewReader(b), points.Options{})
		if err != nil {
			continue
		}
		_, _, err = rewrite(r, "csv", 2)
		r.Close()
		_ = err // must not panic
	}
	start := int(binary.LittleEndian.Uint32(whole[96:]))
	b := bytes.Clone(whole)
	binary.LittleEndian.PutUint64(b[start:], uint64(start)) // the writer stopped early: no table
	want, err := rewriteBytes(whole, "csv")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := rewriteBytes(b, "csv"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("a file without a chunk table: %v", err)
	}
}

// TestLAZResume interrupts an output after each of several numbers of bytes and continues it. The
// result must have the bytes of an uninterrupted run.
func TestLAZResume(t *testing.T) {
	packed := lazCloud(t, 230_000, 2)
	text, err := rewriteBytes(packed, "csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("laz", func(t *testing.T) { resumed(t, packed) })
	t.Run("csv", func(t *testing.T) { resumed(t, text) })
}

func resumed(t *testing.T, input []byte) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	if err := os.WriteFile(in, input, 0o666); err != nil {
		t.Fatal(err)
	}
	want, _, err := rewriteFile(in, "laz", points.Options{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for stop := range 3 {
		if stop != 1 && os.Getenv("INPOLY_FULL") != "1" {
			continue
		}
		out := filepath.Join(dir, fmt.Sprintf("out%d.laz", stop))
		for run := 0; ; run++ {
			if run > 60 {
				t.Fatal("no progress")
			}
			f, err := points.CreateResumable(out, "key")
			if err != nil {
				t.Fatal(err)
			}
			r, err := points.Open(in, points.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			blocks := 0
			job := points.Job{Format: "laz", Workers: 2, Answer: func(context.Context, *table.Block) error { return nil },
				Progress: func(int64, int64) {
					if blocks++; blocks > stop {
						cancel()
					}
				}}
			_, err = job.Run(ctx, r, f)
			cancel()
			r.Close()
			if err == nil {
				err = f.Commit()
				f.Abort()
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			f.Abort()
		}
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f)
		f.Close()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("stopped after %d blocks: the resumed output differs: %v", stop+1, err)
		}
	}
}
