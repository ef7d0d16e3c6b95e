package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"inpoly": main})
}

// TestScripts runs the scripts of testdata/script. Besides the standard commands of testscript, a
// script can use these commands:
//
//	exits CODE COMMAND…   run COMMAND and check that its exit code is CODE
//	npy FILE DTYPE X…     write an N×3 array
//	npycat FILE           print an array to standard output, row by row
//
// INPOLY_UPDATE=1 rewrites the expected outputs. Check the changes before you commit them.
func TestScripts(t *testing.T) {
	dir := filepath.Join("testdata", "script")
	var files []string
	if testing.Short() { // run only scripts that compute in parallel
		dir = ""
		for _, name := range []string{"answer", "bodies", "fmm", "formats", "shard"} {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:           dir,
		Files:         files,
		UpdateScripts: os.Getenv("INPOLY_UPDATE") == "1",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"npy":    npy,
			"npycat": npycat,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command args…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

func npy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args)%3 != 2 {
		ts.Fatalf("usage: npy file dtype x y z …")
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, 3), }\n", args[1], len(args)/3)
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict)))
	out = append(out, dict...)
	for _, a := range args[2:] {
		x, err := strconv.ParseFloat(a, 64)
		ts.Check(err)
		if args[1] == "<f4" {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o666))
}

func npycat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: npycat file")
	}
	b := []byte(ts.ReadFile(args[0]))
	n := 10 + int(binary.LittleEndian.Uint16(b[8:]))
	head, data := string(b[10:n]), b[n:]
	var rows, columns int
	shape := head[strings.Index(head, "("):]
	if _, err := fmt.Sscanf(shape, "(%d, %d)", &rows, &columns); err != nil {
		ts.Fatalf("%q: %v", head, err)
	}
	item := len(data) / rows / columns
	for r := range rows {
		var row []string
		for c := range columns {
			at := data[(r*columns+c)*item:]
			x := float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
			if item == 8 {
				x = math.Float64frombits(binary.LittleEndian.Uint64(at))
			}
			row = append(row, strconv.FormatFloat(x, 'g', -1, 64))
		}
		fmt.Fprintln(ts.Stdout(), strings.Join(row, " "))
	}
}
