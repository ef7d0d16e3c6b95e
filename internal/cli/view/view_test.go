package view

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

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
)

const cube = `v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
f 4 3 2 1
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
`

// endless is a reader that repeats a block forever. It calls a given function when a given
// repetition begins.
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

// TestViewInterrupted ends the context while points are read and located. The command must return
// the error of the context and leave no file. The race detector must find no race.
func TestViewInterrupted(t *testing.T) {
	dir := t.TempDir()
	mesh := filepath.Join(dir, "cube.obj")
	if err := os.WriteFile(mesh, []byte(cube), 0o666); err != nil {
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
		terminal := &term.Terminal{In: in, Out: io.Discard, Err: new(bytes.Buffer), Quiet: true}
		f := flags{Flags: answer.Flags{Method: "auto", Rule: "nonzero", Orient: "auto"}, out: filepath.Join(dir, "out.html"), maxPoints: 10}
		if err := run(ctx, terminal, &f, []string{mesh, "-"}, func(string) bool { return false }); !errors.Is(err, context.Canceled) {
			t.Fatalf("read %d: %v, want that of the context", end, err)
		}
		cancel()
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}
