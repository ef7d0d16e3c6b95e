package points

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/disk"
)

// TestResumeAfterFault lets one call to the file system fail in a run with a checkpoint after each
// block. The run then completes the output, or the next run completes it with the same bytes.
//
// INPOLY_FULL=1 lets every call fail in every way. Otherwise the test makes a random selection.
func TestResumeAfterFault(t *testing.T) {
	share := 0.01
	if os.Getenv("INPOLY_FULL") == "1" {
		share = 1
	}
	rng := rand.New(rand.NewPCG(3, 4))
	runs, stopped := 0, 0
	for _, c := range resumeCases(t) {
		c.job.Workers = 1
		var mu sync.Mutex
		var calls []string
		restore := disk.Inject(func(op, _ string) disk.Fault {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, op)
			return disk.Fault{}
		})
		want, sum := c.whole(t)
		restore()
		for k, op := range calls {
			for _, fault := range []disk.Fault{
				{Err: syscall.ENOSPC}, {Err: syscall.EIO}, {Err: syscall.EINTR}, {Err: syscall.ENOSPC, Short: true}, {Short: true},
			} {
				if rng.Float64() >= share || fault.Short && !slices.Contains([]string{"read", "pread", "write"}, op) {
					continue
				}
				dir, n, failed := t.TempDir(), 0, ""
				if err := os.WriteFile(filepath.Join(dir, "in"), c.in, 0o666); err != nil {
					t.Fatal(err)
				}
				restore := disk.Inject(func(op, path string) disk.Fault {
					mu.Lock()
					defer mu.Unlock()
					if n++; n != k+1 {
						return disk.Fault{}
					}
					failed = op + " " + path
					return fault
				})
				err := c.try(t, dir)
				restore()
				runs++
				if err != nil {
					stopped++
					c.finish(t, dir, want, sum)
				}
				got, _ := os.ReadFile(filepath.Join(dir, "out"))
				if list := names(t, dir); !bytes.Equal(got, want) || !slices.Equal(list, []string{"in", "out"}) {
					t.Fatalf("%s: call %d (%s, %+v), error %v: output of %d bytes, expected %d; files %v", c.name, k, failed, fault, err, len(got), len(want), list)
				}
				os.RemoveAll(dir)
			}
		}
	}
	t.Logf("%d faults, %d stopped the run", runs, stopped)
}

// try runs c in dir with a checkpoint after each block.
func (c *resumeCase) try(t *testing.T, dir string) error {
	r, err := Open(filepath.Join(dir, "in"), c.opt)
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := atomicfile.CreateResumable(filepath.Join(dir, "out"), "key")
	if err != nil {
		return err
	}
	defer out.Abort()
	out.SaveEvery = 1
	if _, err := c.job.Run(t.Context(), r, out); err != nil {
		return err
	}
	return out.Commit()
}
