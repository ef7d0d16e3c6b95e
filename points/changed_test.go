package points

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/points/table"
)

// changes are the ways in which another process can change an input file.
var changes = map[string]func(path string, data []byte) error{
	"emptied": func(path string, _ []byte) error { return os.Truncate(path, 0) },
	"halved":  func(path string, data []byte) error { return os.Truncate(path, int64(len(data)/2)) },
	"cut":     func(path string, data []byte) error { return os.Truncate(path, int64(len(data)-1)) },
	"appended": func(path string, data []byte) error {
		return os.WriteFile(path, append(slices.Clone(data), data...), 0o666)
	},
	"modified": func(path string, data []byte) error { return os.WriteFile(path, data, 0o666) },
	"replaced": func(path string, data []byte) error {
		return errors.Join(os.WriteFile(path+"2", data[:1], 0o666), os.Rename(path+"2", path))
	},
}

// TestChangedInput changes a point file before its first, middle and last read. INPOLY_FULL=1 changes
// it before each read. Every run fails and leaves no output.
// Only a file that replaces the path of the open file has no effect.
func TestChangedInput(t *testing.T) {
	dir := t.TempDir()
	text := cloudCSV(200)
	csv := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(csv, text, 0o666); err != nil {
		t.Fatal(err)
	}
	inputs := map[string][]byte{"text": text, "gzip": pack(t, text, "gzip"), "zstd": pack(t, text, "zstd")}
	for _, format := range readable[1:] {
		path, _ := convertFile(t, csv, Options{}, Job{Columns: insideColumn, Answer: answerHalf, Format: format})
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs[format] = data
	}
	past := time.Now().Add(-time.Hour)
	for format, data := range inputs {
		// run changes the input before the given read, and returns the output and the number of reads.
		run := func(name string, at int, options Options, resumable bool) (out []byte, reads int, err error) {
			folder := t.TempDir()
			in, to := filepath.Join(folder, "in"), filepath.Join(folder, "out")
			if err := errors.Join(os.WriteFile(in, data, 0o666), os.Chtimes(in, past, past)); err != nil {
				t.Fatal(err)
			}
			defer disk.Inject(func(op, path string) disk.Fault {
				if path == in && strings.HasSuffix(op, "read") {
					if reads++; reads == at {
						if err := changes[name](in, data); err != nil {
							t.Error(err)
						}
					}
				}
				return disk.Fault{}
			})()
			r, err := Open(in, options)
			if err != nil {
				return nil, reads, err
			}
			defer r.Close()
			var file File
			if resumable {
				file, err = CreateResumable(to, "key")
			} else {
				file, err = Create(to)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer file.Abort()
			if _, err = (&Job{Columns: insideColumn, Answer: answerHalf, Workers: 1}).Run(t.Context(), r, file); err == nil {
				err = file.Commit()
			}
			if left := names(t, folder); err != nil && len(left) != 1 {
				t.Errorf("%s: %s at read %d, resumable %v: left %v after %v", format, name, at, resumable, left, err)
			}
			out, _ = os.ReadFile(to)
			return out, reads, err
		}
		for _, resumable := range []bool{false, true} {
			if resumable && format == "parquet" {
				continue
			}
			for _, options := range []Options{{block: 2000}, {block: 2000, Shard: 1, Shards: 2}} {
				if options.Shards > 0 && (format == "gzip" || format == "zstd") {
					continue
				}
				want, reads, err := run("", 0, options, resumable)
				if err != nil {
					t.Fatalf("%s: %v", format, err)
				}
				for name := range changes {
					step := max(1, (reads-1)/2)
					if os.Getenv("INPOLY_FULL") == "1" {
						step = 1
					}
					for at := 1; at <= reads; at += step {
						got, _, err := run(name, at, options, resumable)
						switch {
						case name == "replaced" && (err != nil || !bytes.Equal(got, want)):
							t.Errorf("%s: replaced at read %d: %d bytes, want %d: %v", format, at, len(got), len(want), err)
						case name != "replaced" && err == nil:
							t.Errorf("%s: %s at read %d of %d: no error, shards %d", format, name, at, reads, options.Shards)
						case name != "replaced" && at > 2 && !errors.Is(err, disk.ErrChanged):
							t.Errorf("%s: %s at read %d of %d: %v", format, name, at, reads, err)
						}
					}
				}
			}
		}
	}
}

// The files of /proc have the size 0 and yet have content. They are streams: all rows are read, and
// shards are refused.
func TestFileWithoutSize(t *testing.T) {
	const path = "/proc/loadavg"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no " + path)
	}
	if r, err := Open(path, Options{Shard: 1, Shards: 2}); err == nil {
		r.Close()
		t.Error("half of a file of unknown size is accepted")
	}
	r, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b table.Block
	if err := r.Next(&b); err != nil || len(b.Points) != 1 {
		t.Errorf("%d rows, %v; want 1", len(b.Points), err)
	}
}
