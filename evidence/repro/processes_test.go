package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// execute runs the command with arguments.
func execute(args ...string) error {
	c := command()
	c.SetArgs(args)
	c.SetOut(&bytes.Buffer{})
	c.SetErr(&bytes.Buffer{})
	return c.Execute()
}

// Results of fewer processes, without the process without assembly, or of modified files do not count as
// complete.
func TestComplete(t *testing.T) {
	atCommit(t, "0123")
	e := Experiment{Name: "X1", Repeated: true, Plain: true}
	saved := func(t *testing.T, r *Run) string {
		dir := filepath.Join(t.TempDir(), "X1")
		if err := write(dir, e, r, &Result{}, time.Second); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	one := &Run{Size: Small, Threads: 1}
	five := &Run{Size: Small, Threads: 1, others: make([]Times, 5), plain: &Times{}}
	dirs := map[*Run]string{one: saved(t, one), five: saved(t, five)}
	for _, c := range []struct {
		made *Run
		f    flags
		want bool
	}{
		{one, flags{}, true},
		{one, flags{processes: 5}, false},
		{one, flags{noasm: true}, false},
		{five, flags{processes: 5, noasm: true}, true},
		{five, flags{}, true},
		{five, flags{processes: 6}, false},
	} {
		if got := c.f.complete(dirs[c.made], e, &Run{Size: Small, Threads: 1}); got != c.want {
			t.Errorf("%d processes, %+v: complete %t, want %t", c.made.samples(), c.f, got, c.want)
		}
	}
	var f flags
	if f.complete(dirs[one], e, &Run{Size: Small, Threads: 2}) {
		t.Error("complete for another number of threads")
	}
	for _, id := range []string{"0123" + modified, ""} {
		atCommit(t, id)
		if f.complete(saved(t, one), e, one) {
			t.Errorf("complete for the commit %q", id)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	atCommit(t, "0123")
	a := head(Experiment{Name: "X1"}, &Run{})
	if !sameOrigin(a, slices.Clone(a)) || sameOrigin(nil, nil) {
		t.Error("equal heads differ, or nothing equals nothing")
	}
	for k := range a {
		b := slices.Clone(a)
		b[k] += "x"
		if sameOrigin(a, b) {
			t.Errorf("line %d may differ", k)
		}
	}
}

// The second measurement with the same key does not replace the first.
func TestRecord(t *testing.T) {
	r := &Run{others: []Times{{Seconds: map[string]float64{"a": 3, "a (2)": 4}}, {Seconds: map[string]float64{"b": 5}}}}
	if got := r.record("a", 1); !slices.Equal(got, []float64{3}) {
		t.Errorf("got %v", got)
	}
	if got := r.record("a", 2); !slices.Equal(got, []float64{4}) {
		t.Errorf("got %v", got)
	}
	if got := r.record("c", 6); !slices.Equal(got, []float64{6}) {
		t.Errorf("got %v", got)
	}
	if r.own["a"] != 1 || r.own["a (2)"] != 2 {
		t.Errorf("got %v", r.own)
	}
}

// Measurements after a statement about times count for its load.
func TestJudgeTimes(t *testing.T) {
	quiet := Times{Load: Load{Share: 1, Others: 0, Drift: 1}}
	r := &Run{others: []Times{quiet, quiet, quiet, quiet}}
	list := []Statement{
		r.timedStatement("X.a", "", "paper", "ours", "limit", newInterval([]float64{1, 1, 1, 1, 1}), 0, 2, Kernel, "Why."),
		r.timedStatement("X.b", "", "paper", "ours", "limit", newInterval([]float64{3, 3, 3, 3, 3}), 0, 2, Kernel, "").unchecked(),
	}
	if list[0].Verdict != Yes || list[0].Why != "Why." {
		t.Fatalf("got %+v", list[0])
	}
	r.others[2].Load.Share = 0.5
	r.judgeTimes(list)
	if s := list[0]; s.Verdict != Inconclusive || !strings.HasSuffix(s.Why, "of their elapsed time. Why.") || s.check() != nil || r.load == "" {
		t.Errorf("got %+v, load %q", s, r.load)
	}
	r.others[2].Load.Share = 1
	r.judgeTimes(list)
	if s := list[0]; s.Verdict != Yes || s.Cause != Agrees || s.Why != "Why." || r.load != "" {
		t.Errorf("got %+v, load %q", s, r.load)
	}
	if list[1].Verdict != Unchecked {
		t.Errorf("got %+v", list[1])
	}
	r.others[2].Load.Drift = 2.5 // a single process that drifts does not matter
	r.judgeTimes(list)
	if s := list[0]; s.Verdict != Yes {
		t.Errorf("one of four drifts: %+v", s)
	}
	r.others[1].Load.Drift, r.others[0].Load.Drift = 2.5, 3 // the limit 2 is nearer than this factor
	if turns := list[0].tookTurns(r); turns.Verdict != Yes || list[0].timed.relative {
		t.Errorf("ratios of times in turns: %+v, and the original %+v", turns, list[0])
	}
	r.judgeTimes(list)
	if s := list[0]; s.Verdict != Inconclusive || !strings.HasPrefix(s.Why, "a calibration kernel varied by 150 %") || r.load != "" {
		t.Errorf("got %+v, load %q", s, r.load)
	}
	r.others[1].Load.Drift, r.others[2].Load.Drift = 1.9, 1.9
	r.judgeTimes(list)
	if s := list[0]; s.Verdict != Yes || s.Why != "Why." {
		t.Errorf("got %+v", s)
	}
	for i := range r.others {
		r.others[i].Load.Drift = 1
	}
	r.others[0].Load.Others = 2 // busy at first
	bare := []Statement{r.timedStatement("X.c", "", "paper", "ours", "limit", newInterval([]float64{3, 3, 3, 3, 3}), 0, 2, Kernel, "")}
	r.others[0].Load.Others = 0
	r.judgeTimes(bare)
	if s := bare[0]; s.Verdict != No || s.Cause != Kernel || s.Why != "" || s.check() != nil {
		t.Errorf("got %+v", s)
	}
	r = &Run{meter: newLoadMeter()} // without other processes, the load of this process counts
	r.busy()
	r.meter.elapsed, r.meter.used = 1000, 120
	if got := r.busy(); !strings.Contains(got, " 12 %") {
		t.Errorf("after more measurements: %q", got)
	}
}

// Flags that a command does not use, and values that make no sense, are errors.
func TestFlags(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args string
		want string
	}{
		{"report --from " + dir + " --out x.md", "unknown flag: --out"},
		{"draw --size paper x.csv", "unknown flag: --size"},
		{"list --again", "unknown flag: --again"},
		{"R2 --size tiny --processes -3 --out " + dir, "--processes"},
		{"R2 --size tiny --threads 0 --out " + dir, "--threads"},
		{"verify-verdicts R2 --size tiny --runs 1", "--runs must be at least 2"},
		{"verify-verdicts R2 --size tiny --runs -1", "--runs must be at least 2"},
		{"measure R2 --size tiny", `required flag(s) "to"`},
	} {
		if err := execute(strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.args, err, c.want)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, files %v", err, files)
	}
}

// A file that cannot get its name leaves nothing behind.
func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(filepath.Join(dir, "taken"), []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if err := writeWhole(filepath.Join(dir, "good"), []byte("x")); err != nil {
		t.Error(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 {
		t.Errorf("%v, files %v", err, files)
	}
}

func TestCompareRuns(t *testing.T) {
	count := func(v Verdict) Statement { return Statement{ID: "C", Decides: Count, Verdict: v} }
	timed := func(v Verdict) Statement { return Statement{ID: "T", Decides: Time, Verdict: v} }
	for _, c := range []struct {
		name string
		runs [][]Statement
		fail bool
		want string
	}{
		{"equal", [][]Statement{{count(Yes), timed(No)}, {count(Yes), timed(No)}}, false, "counts: 1. Statements about times: 1, of which all runs decide 1. Contradictions: 0."},
		{"count", [][]Statement{{count(Yes), timed(No)}, {count(No), timed(No)}}, true, "C: yes, no\n"},
		{"missing", [][]Statement{{timed(No)}, {count(No), timed(No)}}, true, "C: missing, no\n"},
		{"busy", [][]Statement{{timed(Inconclusive)}, {timed(Yes)}, {timed(Inconclusive)}}, false, "T: inconclusive, yes, inconclusive (no contradiction)\n"},
		{"undecided", [][]Statement{{timed(Inconclusive)}, {timed(Inconclusive)}}, false, "times: 1, of which all runs decide 0."},
		{"contradiction", [][]Statement{{timed(No)}, {timed(Inconclusive)}, {timed(Yes)}}, true, "Contradictions: 1."},
	} {
		var b bytes.Buffer
		if err := compareRuns(&b, c.runs); (err != nil) != c.fail || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %v, %q", c.name, err, b.String())
		}
	}
}
