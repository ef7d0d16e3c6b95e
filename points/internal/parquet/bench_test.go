package parquet

import (
	"bufio"
	"errors"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// point is a row of the files for benchmarks.
type point struct {
	X float64 `parquet:"x"`
	Y float64 `parquet:"y"`
	Z float64 `parquet:"z"`
}

// parallel does the same as the function pass, but several workers parse and format blocks.
func parallel(src table.Source, sink table.Sink, w io.Writer, workers int, each func(b *table.Block)) error {
	type job struct {
		table.Block
		err  error
		done chan struct{}
	}
	free, todo, order := make(chan *job, 2*workers+2), make(chan *job, 2*workers+2), make(chan *job, 2*workers+2)
	for range cap(free) {
		free <- &job{done: make(chan struct{}, 1)}
	}
	var busy sync.WaitGroup
	for range workers {
		busy.Add(1)
		go func() {
			defer busy.Done()
			for j := range todo {
				if j.err = src.Parse(&j.Block); j.err == nil {
					each(&j.Block)
					j.err = sink.Format(&j.Block)
				}
				j.done <- struct{}{}
			}
		}()
	}
	var failed error
	go func() {
		defer close(order)
		defer close(todo)
		for j := range free {
			if err := src.Fill(&j.Block); err != nil {
				if !errors.Is(err, io.EOF) {
					failed = err
				}
				return
			}
			order <- j
			todo <- j
		}
	}()
	err := sink.Begin(w, src.Rows())
	for j := range order {
		<-j.done
		if err == nil {
			err = j.err
		}
		if err == nil {
			err = sink.Write(w, &j.Block)
		}
		free <- j
	}
	busy.Wait()
	if err == nil {
		err = failed
	}
	if err == nil {
		err = sink.End(w)
	}
	return err
}

// BenchmarkPassthrough reads a file of points and writes a file with one answer column.
func BenchmarkPassthrough(b *testing.B) {
	const rows = 10_000_000
	inside := []table.Column{{Name: "inside", Kind: table.Inside}}
	for _, c := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd} {
		path := filepath.Join(b.TempDir(), "in.parquet")
		writePoints(b, path, rows, parquet.Compression(c), parquet.MaxRowsPerRowGroup(1<<20))
		for _, way := range []string{"copied", "half dropped"} {
			b.Run("codec="+c.String()+"/"+way, func(b *testing.B) {
				for b.Loop() {
					in, err := os.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					info, err := in.Stat()
					if err != nil {
						b.Fatal(err)
					}
					src, err := New(path, in, in, info.Size(), Options{})
					if err != nil {
						b.Fatal(err)
					}
					sink, err := src.Passthrough(inside)
					if err != nil {
						b.Fatal(err)
					}
					out, err := os.Create(filepath.Join(b.TempDir(), "out.parquet"))
					if err != nil {
						b.Fatal(err)
					}
					w := bufio.NewWriterSize(out, 1<<20)
					err = parallel(src, sink, w, 2, func(t *table.Block) {
						t.Resize(inside)
						for i, p := range t.Points {
							t.Sides[i] = side.Outside
							if p.X < 0.5 {
								t.Sides[i] = side.Inside
							}
						}
						if way != "copied" {
							for i := range t.EnableDrop() {
								t.Drop[i] = t.Sides[i] == side.Outside
							}
						}
					})
					if err == nil {
						err = w.Flush()
					}
					if err == nil {
						err = errors.Join(out.Close(), in.Close())
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "points/s")
			})
		}
	}
}

// writePoints writes a file of random points.
func writePoints(b *testing.B, path string, rows int, opts ...parquet.WriterOption) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := parquet.NewGenericWriter[point](f, opts...)
	rng := rand.New(rand.NewSource(1))
	part := make([]point, 1<<16)
	for rows > 0 {
		part = part[:min(rows, len(part))]
		for i := range part {
			part[i] = point{rng.Float64(), rng.Float64(), rng.Float64()}
		}
		if _, err := w.Write(part); err != nil {
			b.Fatal(err)
		}
		rows -= len(part)
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		b.Fatal(err)
	}
}
