package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/inpoly/inpoly/internal/ask"
)

// endless repeats a block for ever, and calls stop where it begins for the end-th time.
type endless struct {
	block, rest []byte
	times, end  int
	stop        func()
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		if e.times++; e.times == e.end {
			e.stop()
		}
		e.rest = e.block
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestViewInterrupted ends the context while points are read and answered: view returns
// its error and leaves nothing, and the race detector finds nothing to say of the reader.
func TestViewInterrupted(t *testing.T) {
	dir := t.TempDir()
	mesh := filepath.Join(dir, "cube.obj")
	if err := os.WriteFile(mesh, []byte(cubeOBJ), 0o666); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	frame := enc.EncodeAll([]byte(strings.Repeat("0.5,0.5,0.5\n0.25,7,0.125\n", 5000)), nil)
	for end := 2; end < 40; end += 4 {
		ctx, cancel := context.WithCancel(t.Context())
		in := &endless{block: frame, end: end, stop: cancel}
		a := &app{in: in, out: io.Discard, err: new(bytes.Buffer), quiet: true}
		f := viewFlags{flags: flags{out: filepath.Join(dir, "out.html"), Flags: ask.Flags{Method: "auto", Rule: "nonzero"}}, most: 10}
		if err := a.view(ctx, &f, []string{mesh, "-"}); !errors.Is(err, context.Canceled) {
			t.Fatalf("read %d: %v, want that of the context", end, err)
		}
		cancel()
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}
