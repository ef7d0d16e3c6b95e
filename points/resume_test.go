package points

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

// resumeCase is an input and a job whose output can be resumed.
type resumeCase struct {
	name string
	in   []byte
	opt  Options
	job  Job
}

// resumeCases returns cases for input and output formats. Some cases have shards, compression or
// dropped rows.
func resumeCases(t *testing.T) []resumeCase {
	a := array{3000, 4, nil}
	for i := range a.rows * a.columns {
		a.v = append(a.v, float64(i%1000)-500)
	}
	text := manyRows(2000)
	text = append(text, "1;2;3;4;5\r\n"...)
	dropping := Job{Columns: insideColumn, Drops: true, Answer: dropOdd}
	toNPY := dropping
	toNPY.Format = "npy"
	return []resumeCase{
		{"text", text, Options{block: 3000}, Job{Columns: insideColumn, Answer: answerHalf}},
		{"gzip", pack(t, text, "gzip"), Options{block: 3000}, dropping},
		{"shard", text, Options{block: 3000, Shard: 2, Shards: 3}, Job{Columns: insideColumn, Answer: answerHalf}},
		{"bytes", text, Options{block: 3000, Bytes: [2]int64{5000, 50000}}, Job{Columns: insideColumn, Answer: answerHalf}},
		{"npy", a.file("<f8", false), Options{block: 4000}, dropping},
		{"fortran", a.file("<f4", true), Options{block: 4000}, Job{Columns: insideColumn, Answer: answerHalf}},
		{"npy to csv", a.file("<f8", false), Options{block: 4000}, Job{Columns: insideColumn, Answer: answerHalf, Format: "csv"}},
		{"text to jsonl", text[:len(text)-11], Options{block: 3000}, Job{Columns: insideColumn, Answer: answerHalf, Format: "jsonl"}},
		{"csv to npy", csvRows(2000, 6), Options{block: 3000}, toNPY},
		{"zstd to npy", pack(t, csvRows(2000, 6), "zstd"), Options{block: 3000}, toNPY},
	}
}

// dropOdd calls answerHalf and drops the points that are outside.
func dropOdd(ctx context.Context, b *table.Block) error {
	if err := answerHalf(ctx, b); err != nil {
		return err
	}
	drop := b.EnableDrop()
	for k, s := range b.Sides {
		drop[k] = s == side.Outside
	}
	return nil
}

// start opens the input and the output of c in the folder dir.
func (c *resumeCase) start(t *testing.T, dir string) (*Reader, *atomicfile.Resumable) {
	t.Helper()
	in := filepath.Join(dir, "in")
	if _, err := os.Stat(in); err != nil {
		if err := os.WriteFile(in, c.in, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Open(in, c.opt)
	if err != nil {
		t.Fatal(err)
	}
	out, err := atomicfile.CreateResumable(filepath.Join(dir, "out"), "key")
	if err != nil {
		t.Fatal(err)
	}
	out.SaveEvery = 1
	return r, out
}

// whole returns the output and the counts of a run of c without interruption.
func (c *resumeCase) whole(t *testing.T) ([]byte, Summary) {
	t.Helper()
	dir := t.TempDir()
	r, out := c.start(t, dir)
	defer r.Close()
	sum, err := c.job.Run(t.Context(), r, out)
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	if list := names(t, dir); fmt.Sprint(list) != "[in out]" {
		t.Fatalf("left behind: %v", list)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return data, sum
}

// finish resumes the run of c in dir. It compares the output and the counts with the wanted ones.
func (c *resumeCase) finish(t *testing.T, dir string, want []byte, wantSum Summary) {
	t.Helper()
	r, out := c.start(t, dir)
	defer r.Close()
	out.SaveEvery = 64 << 20
	sum, err := c.job.Run(t.Context(), r, out)
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("resumed output of %d bytes, want %d, or others: %v", len(got), len(want), err)
	}
	if sum.Rows != wantSum.Rows || sum.Kept != wantSum.Kept || sum.Sides != wantSum.Sides || sum.Counts != wantSum.Counts {
		t.Fatalf("resumed: %+v\nwant %+v", sum, wantSum)
	}
	if list := names(t, dir); fmt.Sprint(list) != "[in out]" {
		t.Fatalf("left behind: %v", list)
	}
}

// copyState copies the files that a killed process would leave. It returns false if it cannot copy
// them, for example because there is no journal.
func copyState(from, to string) bool {
	// Copy the journal before out.part. Rows are written to out.part before the journal records
	// them, so the copy of out.part has all rows that the copied journal records.
	for _, name := range []string{"in", "out.journal", "out.part"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil || os.WriteFile(filepath.Join(to, name), data, 0o666) != nil {
			return false
		}
	}
	return true
}

// TestResumeAnyMoment copies the files of a running job at random times. Then it resumes each copy.
func TestResumeAnyMoment(t *testing.T) {
	for _, c := range resumeCases(t) {
		t.Run(c.name, func(t *testing.T) {
			want, wantSum := c.whole(t)
			dir, base := t.TempDir(), t.TempDir()
			rng := rand.New(rand.NewPCG(1, uint64(len(c.name))))
			var copies []string
			stop := make(chan struct{})
			snapshot := func() {
				to := filepath.Join(base, fmt.Sprint(len(copies)))
				if os.Mkdir(to, 0o777) == nil && copyState(dir, to) {
					copies = append(copies, to)
				} else {
					os.RemoveAll(to)
				}
			}
			var busy sync.WaitGroup
			busy.Add(1)
			var mu sync.Mutex
			go func() { // copies the files while the job writes
				defer busy.Done()
				for range 10 {
					select {
					case <-stop:
						return
					case <-time.After(time.Duration(rng.IntN(2000)) * time.Microsecond):
						mu.Lock()
						snapshot()
						mu.Unlock()
					}
				}
			}()
			r, out := c.start(t, dir)
			job, blocks := c.job, 0
			job.Progress = func(int64, int64) {
				if blocks++; blocks < 5 || blocks%7 == 0 {
					mu.Lock()
					snapshot()
					mu.Unlock()
				}
			}
			if _, err := job.Run(t.Context(), r, out); err != nil {
				t.Fatal(err)
			}
			r.Close()
			close(stop)
			busy.Wait()
			snapshot() // copies the files after Run and before Commit
			out.Abort()
			if len(copies) < 4 {
				t.Fatalf("%d copies", len(copies))
			}
			if os.Getenv("INPOLY_FULL") != "1" { // test only a few copies, because each resumed run waits for the disk
				rng.Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
				copies = copies[:4]
			}
			for i, copied := range copies {
				// A resumed run must ignore the bytes after the last checkpoint. Therefore the test
				// appends bytes to half of the copies.
				if i%2 == 0 {
					f, err := os.OpenFile(filepath.Join(copied, "out.part"), os.O_APPEND|os.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprint(f, "half a row")
					f.Close()
				}
				c.finish(t, copied, want, wantSum)
			}
			c.finish(t, dir, want, wantSum)
		})
	}
}

// TestResumeAfterError ends the context of a run after a few blocks and resumes the run, until the
// output is complete.
func TestResumeAfterError(t *testing.T) {
	for _, c := range resumeCases(t) {
		t.Run(c.name, func(t *testing.T) {
			want, wantSum := c.whole(t)
			dir := t.TempDir()
			before := int64(-1)
			for round := 0; ; round++ {
				r, out := c.start(t, dir)
				job, blocks := c.job, 0
				ctx, cancel := context.WithCancel(t.Context())
				job.Progress = func(int64, int64) {
					if blocks++; blocks == 3+2*round {
						cancel()
					}
				}
				sum, err := job.Run(ctx, r, out)
				cancel()
				r.Close()
				out.Abort()
				if err == nil {
					before = sum.Resumed
					break
				}
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if sum.Resumed < before || round > 1000 {
					t.Fatalf("resumed after %d rows, before that after %d", sum.Resumed, before)
				}
				before = sum.Resumed
			}
			if before <= 0 {
				t.Error("nothing was resumed")
			}
			c.finish(t, dir, want, wantSum)
		})
	}
}

// TestKilled repeatedly starts a process and kills it after a few blocks, until the output is
// complete.
func TestKilled(t *testing.T) {
	const child = "POINTS_TEST_KILLED"
	c := resumeCases(t)[4]
	if dir := os.Getenv(child); dir != "" {
		c.job.Workers = 1
		c.job.Progress = func(int64, int64) { fmt.Println("block") }
		r, out := c.start(t, dir)
		if _, err := c.job.Run(t.Context(), r, out); err != nil {
			t.Fatal(err)
		}
		if err := out.Commit(); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, _ := c.whole(t)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(2, 1))
	kills := 0
	for {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), child+"="+dir)
		said, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(said)
		left := 2 + rng.IntN(4)
		var last string
		for lines.Scan() {
			last = lines.Text()
			if left--; left == 0 {
				time.Sleep(time.Duration(rng.IntN(500)) * time.Microsecond)
				cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err == nil {
			break
		}
		if left > 0 {
			t.Fatalf("the process failed by itself: %s", last)
		}
		kills++
	}
	if kills == 0 {
		t.Error("nothing was killed")
	}
	got, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("after %d kills %d bytes, want %d, or others: %v", kills, len(got), len(want), err)
	}
	if list := names(t, dir); fmt.Sprint(list) != "[in out]" {
		t.Errorf("left behind: %v", list)
	}
}

// TestResumeEnd resumes a run whose process was killed during Commit.
func TestResumeEnd(t *testing.T) {
	c := resumeCases(t)[0]
	want, wantSum := c.whole(t)
	dir := t.TempDir()
	r, out := c.start(t, dir)
	if _, err := c.job.Run(t.Context(), r, out); err != nil {
		t.Fatal(err)
	}
	out.Abort()
	r.Close()
	path := filepath.Join(dir, "out")
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
	c.finish(t, dir, want, wantSum)
}

// TestResumeOfShorterInput resumes a run. The new input ends before the position of the checkpoint.
func TestResumeOfShorterInput(t *testing.T) {
	dir := t.TempDir()
	in := csvRows(2000, 6)
	for _, n := range []int{len(in), 1000} {
		r, err := NewReader("in", bytes.NewReader(in[:n]), Options{block: 3000})
		if err != nil {
			t.Fatal(err)
		}
		out, err := atomicfile.CreateResumable(filepath.Join(dir, "out"), "key")
		if err != nil {
			t.Fatal(err)
		}
		out.SaveEvery = 1
		job := Job{Columns: insideColumn, Answer: func(_ context.Context, b *table.Block) error {
			if b.First > 1500 {
				return errors.New("stop")
			}
			return nil
		}}
		_, err = job.Run(t.Context(), r, out)
		out.Abort()
		if n == 1000 && !errors.Is(err, io.ErrUnexpectedEOF) || err == nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// unfinished starts c and stops it with an error. Then it checks that Commit fails.
func unfinished(t *testing.T, c resumeCase, dir string) {
	t.Helper()
	r, out := c.start(t, dir)
	defer r.Close()
	defer out.Abort()
	c.job.Answer = func(_ context.Context, b *table.Block) error {
		if b.First > 500 {
			return errors.New("stop")
		}
		return nil
	}
	if _, err := c.job.Run(t.Context(), r, out); err == nil {
		t.Fatal("no error")
	}
	if err := out.Commit(); err == nil {
		t.Error("half an output is committed")
	}
}

// TestCheckpointMismatch resumes from a valid journal. The checkpoint in this journal does not fit
// the input.
func TestCheckpointMismatch(t *testing.T) {
	for _, c := range []struct {
		name, number string
		value        int64
		want         string
	}{
		{"offset", "Offset", -1, "position in the point file: byte -1, row"},
		{"row", "Row", -1, ", row -1: remove"},
		{"long input", "Offset", 1e9, "bytes, but the journal continues at byte 1000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, dir := resumeCases(t)[0], t.TempDir()
			unfinished(t, run, dir)
			path := filepath.Join(dir, "out.journal")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				Journal json.RawMessage `json:"journal"`
				SHA256  string          `json:"sha256"`
			}
			if err := json.Unmarshal(data, &file); err != nil {
				t.Fatal(err)
			}
			number := regexp.MustCompile(`"` + c.number + `":[0-9]+`)
			file.Journal = number.ReplaceAll(file.Journal, fmt.Appendf(nil, "%q:%d", c.number, c.value))
			sum := sha256.Sum256(file.Journal)
			file.SHA256 = hex.EncodeToString(sum[:])
			if data, err = json.Marshal(file); err == nil {
				err = os.WriteFile(path, data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			r, out := run.start(t, dir)
			defer r.Close()
			defer out.Abort()
			_, err = run.job.Run(t.Context(), r, out)
			if err == nil || !strings.Contains(err.Error(), "cannot resume") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}
