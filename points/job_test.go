package points

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/inpoly/inpoly/points/table"
)

// manyRows returns a text with n rows, comments, quotes and a text column.
func manyRows(n int) []byte {
	var b bytes.Buffer
	b.WriteString("x;y;z;t\r\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,5;2;%d;\"a\n%d\"\r\n", i-n/2, i, i)
		if i%7 == 0 {
			b.WriteString("# comment \"\n\n")
		}
	}
	return b.Bytes()
}

// TestSameBytesForAnyWorkers checks that the output does not depend on the number of workers or on
// the size of blocks.
func TestSameBytesForAnyWorkers(t *testing.T) {
	in := manyRows(5000)
	want, _, err := run(in, Options{}, 1, insideColumn)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7, 0} {
		for _, chunk := range []int{100, 1000, 0} {
			if got, _, err := run(in, Options{block: chunk}, workers, insideColumn); err != nil || got != want {
				t.Errorf("%d workers, blocks of %d: another output, %v", workers, chunk, err)
			}
		}
	}
}

// TestShards checks that the concatenated outputs of the shards equal the output of the whole file.
// It also checks that line numbers refer to the whole file.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	for name, in := range map[string][]byte{
		"quoted": manyRows(500),
		"plain":  csvRows(700, 5),
		"short":  []byte("x,y,z\n1,2,3\n"),
		"cut":    []byte("1,2,3\n4,5,6\n7,8,9"),
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, in, 0o666); err != nil {
			t.Fatal(err)
		}
		want, _, err := run(in, Options{}, 1, insideColumn)
		if err != nil {
			t.Fatal(err)
		}
		for _, shards := range []int{1, 2, 3, 8, 100} {
			for _, chunk := range []int{50, 0} {
				var got bytes.Buffer
				rows := int64(0)
				for i := range shards {
					r, err := Open(path, Options{Shard: i + 1, Shards: shards, block: chunk})
					if err != nil {
						t.Fatal(err)
					}
					job := Job{Columns: insideColumn, Answer: answerHalf, Workers: 2}
					sum, err := job.Run(t.Context(), r, &got)
					if err != nil {
						t.Fatal(err)
					}
					rows += sum.Rows
					r.Close()
				}
				if got.String() != want {
					t.Errorf("%s in %d shards, blocks of %d: %d rows, another output", name, shards, chunk, rows)
				}
			}
		}
	}
	path := filepath.Join(dir, "bad")
	if err := os.WriteFile(path, []byte(strings.Repeat("1,2,3\n", 1000)+"1,2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Options{Shard: 4, Shards: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var row *table.RowError
	if err := r.Next(&table.Block{}); !errors.As(err, &row) || row.Line != 1001 {
		t.Errorf("error %v, want line 1001", err)
	}
}

func TestShardsOfArrays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	a := array{10, 3, nil}
	for i := range 30 {
		a.v = append(a.v, float64(i))
	}
	for _, fortran := range []bool{false, true} {
		if err := os.WriteFile(path, a.file("<f4", fortran), 0o666); err != nil {
			t.Fatal(err)
		}
		next := 0.0
		for i := range 4 {
			r, err := Open(path, Options{Shard: i + 1, Shards: 4})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			job := Job{Columns: insideColumn, Answer: answerHalf}
			if _, err := job.Run(t.Context(), r, &out); err != nil {
				t.Fatal(err)
			}
			r.Close()
			pts, err := readAll(out.Bytes(), Options{Columns: [3]string{"1", "2", "3"}})
			if err != nil || int64(len(pts)) != r.Rows() {
				t.Fatalf("%d rows of %d, %v", len(pts), r.Rows(), err)
			}
			for _, p := range pts {
				if p.X != next {
					t.Fatalf("shard %d has %v, want x = %v", i+1, p, next)
				}
				next += 3
			}
		}
		if next != 30 {
			t.Errorf("fortran=%v: rows up to %v, want 30", fortran, next)
		}
	}
}

func TestBadShards(t *testing.T) {
	for _, opt := range []Options{{Shard: 0, Shards: 2}, {Shard: 3, Shards: 2}, {Shard: 1, Shards: -1}, {Shard: -1, Shards: 1}, {Shard: 1}} {
		if _, err := NewReader("in", strings.NewReader("1,2,3"), opt); err == nil {
			t.Errorf("shard %d/%d is accepted", opt.Shard, opt.Shards)
		}
	}
	if _, err := NewReader("in", strings.NewReader("1,2,3"), Options{Shard: 1, Shards: 2}); err == nil {
		t.Error("shards of a stream are accepted")
	}
}

func pack(t *testing.T, in []byte, zip string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	if zip == "gzip" {
		w = gzip.NewWriter(&b)
	} else {
		var err error
		if w, err = zstd.NewWriter(&b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(in); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCompressed reads compressed text and compressed arrays. Truncated data must be an error.
func TestCompressed(t *testing.T) {
	text := manyRows(20_000)
	a := array{3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for _, zip := range []string{"gzip", "zstd"} {
		for _, in := range [][]byte{text, a.file("<f8", false)} {
			packed := pack(t, in, zip)
			want, _, err := run(in, Options{}, 1, insideColumn)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := run(packed, Options{}, 2, insideColumn)
			if err != nil || got != want {
				t.Errorf("%s: another output, %v", zip, err)
			}
			for _, cut := range []int{len(packed) - 1, len(packed) - 9, len(packed) / 2, 5} {
				if _, _, err := run(packed[:cut], Options{}, 2, insideColumn); err == nil {
					t.Errorf("%s cut off at %d of %d bytes is accepted", zip, cut, len(packed))
				}
			}
		}
	}
}

// TestFirstErrorWins checks that a Job with several workers reports the first bad row.
func TestFirstErrorWins(t *testing.T) {
	in := []byte(strings.Repeat("1,2,3\n", 5000) + "a,2,3\n" + strings.Repeat("1,2,3\nb,2,3\n", 5000))
	for range 20 {
		var row *table.RowError
		if _, _, err := run(in, Options{block: 200}, 4, insideColumn); !errors.As(err, &row) || row.Line != 5001 {
			t.Fatalf("error %v, want line 5001", err)
		}
	}
}

func TestAnswerError(t *testing.T) {
	r, err := NewReader("in", bytes.NewReader(manyRows(100)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	job := Job{Columns: insideColumn, Answer: func(context.Context, *table.Block) error { return broken }}
	if _, err := job.Run(t.Context(), r, io.Discard); !errors.Is(err, broken) {
		t.Errorf("error %v, want the answer's", err)
	}
}

type fullDisk struct{ left int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, left := range []int{0, 1000} {
		r, err := NewReader("in", bytes.NewReader(manyRows(5000)), Options{block: 100})
		if err != nil {
			t.Fatal(err)
		}
		job := Job{Columns: insideColumn, Answer: answerHalf}
		if _, err := job.Run(t.Context(), r, &fullDisk{left}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("error %v, want disk full", err)
		}
	}
	// The goroutine that reads can end slightly after Run returns.
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

const oneRow = "1,2,3\n"

var manyOnes = strings.Repeat(oneRow, 10_000)

// endless is a reader for tests. After its last byte, Read blocks until release is closed.
type endless struct {
	left    int // number of bytes until Read blocks
	read    int
	release chan struct{}
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		<-e.release
		return 0, io.EOF
	}
	// Begin in the middle of a row if the previous call ended there.
	n := copy(p, manyOnes[e.read%len(oneRow):])
	e.read += n
	e.left -= n
	return n, nil
}

// TestCancel checks that a canceled context ends a Job that waits for input.
func TestCancel(t *testing.T) {
	e := &endless{left: 3 << 20, release: make(chan struct{})}
	r, err := NewReader("in", e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var rows atomic.Int64
	job := Job{Columns: insideColumn, Answer: func(_ context.Context, b *table.Block) error {
		rows.Add(int64(len(b.Points)))
		return nil
	}}
	done := make(chan error, 1)
	go func() {
		_, err := job.Run(ctx, r, io.Discard)
		done <- err
	}()
	for rows.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	r.Close()
	close(e.release)
}

// TestConstantMemory checks the size of the heap. The input is much larger than all blocks
// together.
func TestConstantMemory(t *testing.T) {
	size := 64 << 20
	if os.Getenv("INPOLY_FULL") == "1" {
		size = 2 << 30
	}
	e := &endless{left: size, release: make(chan struct{})}
	close(e.release)
	r, err := NewReader("in", e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var most uint64
	job := Job{Columns: insideColumn, Answer: answerHalf, Workers: 2, Progress: func(done, _ int64) {
		if done>>24 != (done-1<<20)>>24 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}}
	sum, err := job.Run(t.Context(), r, io.Discard)
	if err != nil || sum.Rows < int64(size/len(oneRow)) {
		t.Fatalf("%d rows, %v", sum.Rows, err)
	}
	// There are six blocks. Each block has 1 MiB of text, 175,000 rows and their output. A row
	// needs 24 bytes for the point, 8 bytes for two indices and 1 byte for the side. When a slice
	// grows, its capacity can be twice as large as necessary.
	if limit := uint64(120 << 20); most > limit {
		t.Errorf("%d bytes in use, want at most %d", most, limit)
	}
}

// TestErrorDoesNotWait checks that a bad row ends a Job whose input blocks.
func TestErrorDoesNotWait(t *testing.T) {
	e := &endless{left: 3 << 20, release: make(chan struct{})}
	r, err := NewReader("in", io.MultiReader(strings.NewReader("1,2,3\n1,2,x\n"), e), Options{})
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Columns: insideColumn, Answer: answerHalf}
	var row *table.RowError
	if _, err := job.Run(t.Context(), r, io.Discard); !errors.As(err, &row) || row.Line != 2 {
		t.Errorf("error %v, want line 2", err)
	}
	close(e.release)
}

func TestProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.csv")
	in := manyRows(50_000)
	if err := os.WriteFile(path, in, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, Options{block: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	last, calls := int64(0), 0
	job := Job{Columns: insideColumn, Answer: answerHalf, Progress: func(done, total int64) {
		if done < last || done > total || total != int64(len(in)) {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last, calls = done, calls+1
	}}
	sum, err := job.Run(t.Context(), r, io.Discard)
	if err != nil || last != int64(len(in)) || calls < 10 {
		t.Errorf("%d calls, the last with %d of %d, %v", calls, last, len(in), err)
	}
	// The n workers, the reader and the writer can run at the same time. Each time is divided by n.
	// So the sum is at most (n+2)/n·Elapsed ≤ 3·Elapsed.
	if sum.Read <= 0 || sum.Answered <= 0 || sum.Write <= 0 || sum.Read+sum.Answered+sum.Write > 3*sum.Elapsed {
		t.Errorf("times of stages: %+v", sum)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(filepath.Join(dir, "none.csv"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
}

// TestCompressedErrors checks the errors of truncated compressed data and of bytes after the data.
func TestCompressedErrors(t *testing.T) {
	packed := pack(t, manyRows(20_000), "gzip")
	for want, in := range map[string][]byte{
		"gzip data is cut off at byte":         packed[:len(packed)/2],
		"bytes after the end of the gzip data": append(bytes.Clone(packed), "more than a header has"...),
	} {
		if _, _, err := run(in, Options{}, 2, insideColumn); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// cancelWriter calls cancel in Write.
type cancelWriter struct{ cancel func() }

func (w cancelWriter) Write(p []byte) (int, error) {
	w.cancel()
	return len(p), nil
}

// TestCancelCopy cancels the context while the temporary file is copied to the output.
func TestCancelCopy(t *testing.T) {
	dropFirst := func(ctx context.Context, b *table.Block) error {
		err := answerHalf(ctx, b)
		b.EnableDrop()[0] = true
		return err
	}
	for range 20 {
		r, err := NewReader("in", bytes.NewReader(cloudCSV(3000)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		job := Job{Columns: insideColumn, Answer: dropFirst, Drops: true, Format: "npy"}
		if _, err := job.Run(ctx, r, cancelWriter{cancel}); !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, want a canceled context", err)
		}
		r.Close()
	}
}
