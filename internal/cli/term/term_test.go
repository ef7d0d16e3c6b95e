package term

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// Progress never writes to the last column of a terminal of 20 to 120 columns, and Done erases the
// line.
func TestProgressWidth(t *testing.T) {
	for width := 20; width <= 120; width++ {
		var out bytes.Buffer
		now := time.Unix(0, 0)
		p := &Progress{last: new(atomic.Value), line: &Line{out: &out, width: func() int { return width }}, now: func() time.Time { return now }}
		for _, stage := range []struct {
			name        string
			done, total int64
			rows        int64
		}{
			{"load", 1 << 40, 1 << 41, 0}, {"build", 0, 1, 0}, {"picture", 0, 0, 0}, {"points", 12_345_678, 0, 1_234_567}, {"points", 7, 7, 987_654_321},
			{"a stage with a long name of ünïcödë letters", 5, 4, 3},
		} {
			now = now.Add(time.Second)
			p.Show(stage.name, stage.done, stage.total, "B", stage.rows)
		}
		p.Done()
		column := 0
		for _, r := range out.String() {
			if column++; r == '\r' {
				column = 0
			}
			if column > width-1 {
				t.Fatalf("width %d: column %d is used: %q", width, column, out.String())
			}
		}
		if strings.Contains(out.String(), "\n") {
			t.Errorf("width %d: more than one line: %q", width, out.String())
		}
		last := strings.Split(out.String(), "\r")
		if n := len(last); last[n-1] != "" || strings.TrimSpace(last[n-2]) != "" {
			t.Errorf("width %d: left behind: %q", width, last[n-2:])
		}
	}
}

// The rate of each frame is measured from the start of the stage.
func TestProgressRate(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	p := &Progress{last: new(atomic.Value), line: &Line{out: &out, width: func() int { return 60 }}, now: func() time.Time { return now }}
	p.Start(PointsStage)
	now = now.Add(2 * time.Second)
	p.Points(50, 100, 3_000_000)
	if got, want := out.String(), "\rpoints 50 %, 1.5 M/s ["; !strings.HasPrefix(got, want) {
		t.Errorf("first frame %q, want %q", got, want)
	}
	out.Reset()
	now = now.Add(time.Millisecond)
	p.Points(60, 100, 4_000_000)
	if out.Len() > 0 {
		t.Errorf("a frame after a millisecond: %q", out.String())
	}
	now = now.Add(2 * time.Second)
	p.Points(75, 100, 4_000_000)
	if got, want := out.String(), "\rpoints 75 %, 1 M/s ["; !strings.HasPrefix(got, want) {
		t.Errorf("second frame %q, want %q", got, want)
	}
}

// Progress prints nothing if standard error is not a terminal.
func TestProgressSilent(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var buffer bytes.Buffer
	for _, w := range []io.Writer{file, &buffer} {
		p := (&Terminal{Err: w}).NewProgress()
		p.Start(PointsStage)
		p.Points(1, 2, 3)
		p.Stage("build", 1, 2)
		p.Done()
	}
	if fi, err := file.Stat(); err != nil || fi.Size() > 0 || buffer.Len() > 0 {
		t.Errorf("%v: %v bytes in the file, %d in the buffer", err, fi.Size(), buffer.Len())
	}
}

func TestFrame(t *testing.T) {
	for _, c := range []struct {
		stage       string
		done, total int64
		rate        float64
		width       int
		want        string
	}{
		{"build", 0, 0, 0, 79, "build"},
		{"build", 1, 4, 0, 22, "build 25 % [==       ]"},
		{"points", 2_500_000, 0, 1500, 79, "points 2.5 MB, 1.5 k/s"},
		{"points", 9, 10, 0, 13, "points 90 %"},
		{"points", 12, 10, 0, 79, "points 100 % [" + strings.Repeat("=", 40) + "]"},
	} {
		got := frame(c.stage, c.done, c.total, "B", c.rate, c.width)
		if got != c.want {
			t.Errorf("frame(%q, %d, %d, %g, %d) = %q, want %q", c.stage, c.done, c.total, c.rate, c.width, got, c.want)
		}
		if utf8.RuneCountInString(got) > c.width {
			t.Errorf("%q is wider than %d", got, c.width)
		}
	}
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, ExitDone}, {io.EOF, ExitError}, {Usagef("no %s", "file"), ExitUsage}, {fmt.Errorf("a: %w", Usage(WithHint(io.EOF, "try"))), ExitUsage},
		{Strictf("defects"), ExitStrict},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
	err := Usage(WithHint(io.EOF, "try"))
	if Hint(err) != "try" || Hint(io.EOF) != "" || !errors.Is(err, io.EOF) || err.Error() != "EOF" {
		t.Errorf("%v has the hint %q", err, Hint(err))
	}
}

// WriteOutput leaves no file if writing fails.
func TestWriteOutput(t *testing.T) {
	var out bytes.Buffer
	terminal := &Terminal{Out: &out}
	path := filepath.Join(t.TempDir(), "out")
	if _, err := terminal.WriteOutput(path, func(w io.Writer) error { fmt.Fprint(w, "half"); return io.EOF }); !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want EOF", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", path, err)
	}
	for _, to := range []string{path, "-"} {
		n, err := terminal.WriteOutput(to, func(w io.Writer) error { _, err := fmt.Fprint(w, "whole"); return err })
		if n != 5 || err != nil {
			t.Errorf("%s: %d bytes, %v", to, n, err)
		}
	}
	if data, err := os.ReadFile(path); string(data) != "whole" || out.String() != "whole" {
		t.Errorf("file %q, %v; standard output %q", data, err, out.String())
	}
}

// The streams of a Terminal show escape sequences for control characters, on one line for each
// message. The semicolons of joined errors and the hints stay readable.
func TestMessages(t *testing.T) {
	var out, errs bytes.Buffer
	terminal := &Terminal{Out: &out, Err: &errs}
	const name = "a\x1b[2J\n\u009b\u202e.stl"
	closing := fmt.Errorf("%s: %w", name, errors.Join(errors.New("disk full"), fmt.Errorf("close: %w", errors.Join(io.EOF, io.ErrNoProgress))))
	for _, c := range []struct {
		print func()
		want  string
	}{
		{func() { terminal.Warn("%s: %d", name, 1) }, `warning: a\x1b[2J\n\u009b\u202e.stl: 1` + "\n"},
		{func() { terminal.Note("“%s” is half", name) }, `“a\x1b[2J\n\u009b\u202e.stl” is half` + "\n"},
		{func() { terminal.Fail("inpoly", Usagef("%s", name), "") }, `inpoly: a\x1b[2J\n\u009b\u202e.stl` + "\n"},
		{func() { terminal.Fail("inpoly", closing, "see\thelp") }, `inpoly: a\x1b[2J\n\u009b\u202e.stl: disk full; close: EOF; multiple Read calls return no data or error` + "\nhint: see\\thelp\n"},
		{func() {
			terminal.Fail("inpoly", fmt.Errorf("p.csv: %s is no number", strings.Repeat("7", 5_000_000)), "h")
		}, "inpoly: p.csv: " + strings.Repeat("7", 993) + "…" + strings.Repeat("7", 987) + " is no number\nhint: h\n"},
		{func() { _ = terminal.Summarize(Summary{Lines: []string{"sum " + name}}, "json", Object{"mesh", name}) }, `sum a\x1b[2J\n\u009b\u202e.stl` + "\n" + `{"mesh":"a\u001b[2J\n\u009b\u202e.stl"}` + "\n"},
	} {
		errs.Reset()
		if c.print(); errs.String() != c.want {
			t.Errorf("got  %.200q\nwant %.200q", errs.String(), c.want)
		}
	}
	var report strings.Builder
	ReportLines(&report, 6)("mesh", "%s", name)
	if got, want := report.String(), `mesh  a\x1b[2J\n\u009b\u202e.stl`+"\n"; got != want {
		t.Errorf("a line of a report is %q, want %q", got, want)
	}
}
