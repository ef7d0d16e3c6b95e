package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const timeout = 10 * time.Minute

type comparison struct {
	programs [2]string
	intended []*intention
	only     *regexp.Regexp // of the arguments of a command; other commands do not run
	points   int            // test points of a unit
	out      io.Writer

	mu              sync.Mutex
	commands, files int
	bytes           int64 // number of bytes of all outputs
	values, differ  int64 // cells of standard output: compared, and with unintended differences
	different       int   // number of outputs with unintended differences
	exits           map[string]int
}

// intention is a difference that was made on purpose.
type intention struct {
	match  *regexp.Regexp // matches "unit|command|output"
	reason string
	// bounds means that winding numbers must agree within their bounds, and that all other columns
	// must be equal. A bound that has increased must be at most maxBound.
	bounds   bool
	maxBound float64
	count    int
}

// These prefixes of reasons permit only winding numbers and their bounds to differ.
const (
	withinBounds    = "within bounds: "
	withinOldBounds = "within bounds that have not increased: "
)

// readIntentions reads a list of intentions. Each line has a regular expression, a tab and a
// reason.
func readIntentions(path string) (list []*intention, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		expr, reason, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("%s: %q has no tab between the expression and the reason", path, line)
		}
		m, err := regexp.Compile(expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in := &intention{match: m, reason: reason}
		switch {
		case strings.HasPrefix(reason, withinBounds):
			in.bounds, in.maxBound = true, maxBound
		case strings.HasPrefix(reason, withinOldBounds):
			in.bounds = true
		}
		list = append(list, in)
	}
	return list, nil
}

// unit runs the commands of u with both programs. Each program has a separate folder.
func (c *comparison) unit(ctx context.Context, u unit) error {
	var dirs [2]string
	var commands [][]string
	for i := range dirs {
		dir, err := os.MkdirTemp("", "compare")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		dirs[i] = dir
		if commands, err = u.prepare(ctx, dir, c.points); err != nil {
			return err
		}
	}
	commands = slices.DeleteFunc(commands, func(args []string) bool { return !c.only.MatchString(strings.Join(args, " ")) })
	for _, args := range commands {
		line := u.name + "|inpoly " + strings.Join(args, " ")
		var stdout [2][]byte
		var exit [2]string
		for i, program := range c.programs {
			var err error
			if stdout[i], exit[i], err = execute(ctx, program, dirs[i], args); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			if args[0] == "check" {
				stdout[i] = texts.ReplaceAll(stdout[i], nil)
			}
		}
		c.add(line, stdout, exit)
	}
	return c.compareFiles(u.name, dirs)
}

// texts matches the notes and warnings in the JSON output of "inpoly check". Their wording can
// change.
var texts = regexp.MustCompile(`(?m)^ {4,}"(?:[^"\\]|\\.)*",?\n`)

func execute(ctx context.Context, program, dir string, args []string) (stdout []byte, exit string, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	stdout, err = cmd.Output()
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) || ctx.Err() != nil {
		return nil, "", errors.Join(err, ctx.Err())
	}
	return stdout, cmd.ProcessState.String(), nil
}

func (c *comparison) add(line string, stdout [2][]byte, exit [2]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commands++
	c.exits[exit[0]]++
	c.bytes += int64(len(stdout[0]))
	if exit[0] != exit[1] {
		c.difference(line+"|exit code", exit[0]+", "+exit[1], nil)
	}
	values, differ, first := compareCells(stdout[0], stdout[1])
	c.values += values
	if differ > 0 && c.difference(line+"|standard output", fmt.Sprintf("%d of %d values: %s", differ, values, first),
		func(maxBound float64) bool { return agree(stdout[0], stdout[1], maxBound) }) {
		c.differ += differ
	}
}

// compareFiles compares the files that the commands of a unit wrote. It skips HTML pages, which are
// for people.
func (c *comparison) compareFiles(name string, dirs [2]string) error {
	var names []string
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, f := range list {
			names = append(names, f.Name())
		}
	}
	slices.Sort(names)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, file := range slices.Compact(names) {
		a, errA := os.ReadFile(filepath.Join(dirs[0], file))
		b, errB := os.ReadFile(filepath.Join(dirs[1], file))
		c.files++
		c.bytes += int64(len(a))
		switch {
		case errA != nil || errB != nil:
			c.difference(name+"|file "+file, fmt.Sprintf("%v, %v", errA, errB), nil)
		case filepath.Ext(file) != ".html" && !bytes.Equal(a, b):
			c.difference(name+"|file "+file, fmt.Sprintf("%d bytes, %d bytes", len(a), len(b)), nil)
		}
	}
	return nil
}

// difference prints a difference and reports whether it is unintended. inBounds reports whether the
// outputs agree within bounds; it is nil for outputs without bounds.
func (c *comparison) difference(output, text string, inBounds func(maxBound float64) bool) bool {
	for _, in := range c.intended {
		if in.match.MatchString(output) && (!in.bounds || inBounds != nil && inBounds(in.maxBound)) {
			in.count++
			fmt.Fprintf(c.out, "intended: %s: %s\n", output, in.reason)
			return false
		}
	}
	c.different++
	fmt.Fprintf(c.out, "DIFFERS: %s: %s\n", output, text)
	return true
}

// unknownBound replaces the bounds of winding numbers in tables that do not contain bounds. Its
// value is the sum of the errors that --method auto allows for the four solids of a group.
const unknownBound = 4e-6

// maxBound is the largest bound that the new program can print if the bound of the old program is
// smaller. It is the sum of the largest error that --method fmm allows without --epsilon, 1e-1, for
// the four solids of a group.
const maxBound = 0.4

// agree reports whether two tables are equal, except for error bounds and for winding numbers that
// agree within their bounds. A bound in b must be at most maxBound or the bound in a.
func agree(a, b []byte, maxBound float64) bool {
	x, errX := csv.NewReader(bytes.NewReader(a)).ReadAll()
	y, errY := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if errX != nil || errY != nil || len(x) != len(y) || len(x) == 0 || !slices.Equal(x[0], y[0]) {
		return false
	}
	w, bound := slices.Index(x[0], "winding"), slices.Index(x[0], "bound")
	if w < 0 {
		return false
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	for r := 1; r < len(x); r++ {
		limit := 2 * unknownBound
		if bound >= 0 {
			was, is := number(x[r][bound]), number(y[r][bound])
			if x[r][bound] != y[r][bound] && !(is <= max(was, maxBound)) {
				return false
			}
			limit = was + is
		}
		for k, cell := range x[r] {
			switch {
			case cell == y[r][k] || k == bound:
			case k != w || !(math.Abs(number(cell)-number(y[r][k])) <= limit):
				return false
			}
		}
	}
	return true
}

// compareCells compares two tables cell by cell. Cells are separated by commas and line ends.
// compareCells returns the number of cells, the number of cells that differ, and the first
// difference.
func compareCells(a, b []byte) (cells, differ int64, first string) {
	split := func(text []byte) [][]byte {
		return bytes.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' })
	}
	x, y := split(a), split(b)
	if len(x) != len(y) {
		n := int64(max(len(x), len(y)))
		return n, n, fmt.Sprintf("%d cells, %d cells", len(x), len(y))
	}
	for i := range x {
		if !bytes.Equal(x[i], y[i]) {
			if differ == 0 {
				first = fmt.Sprintf("cell %d: %.200q, %.200q", i, x[i], y[i])
			}
			differ++
		}
	}
	if differ == 0 && !bytes.Equal(a, b) {
		return int64(len(x)), 1, "separators"
	}
	return int64(len(x)), differ, first
}

// report prints the counts. It returns an error if an output differs or if no command was compared.
func (c *comparison) report() error {
	fmt.Fprintf(c.out, "compared %d commands, %d values on standard output and %d files, with %d bytes of output in total\n", c.commands, c.values, c.files, c.bytes)
	for _, exit := range slices.Sorted(maps.Keys(c.exits)) {
		fmt.Fprintf(c.out, "%s: %d commands\n", exit, c.exits[exit])
	}
	for _, in := range c.intended {
		fmt.Fprintf(c.out, "%d outputs differ as intended: %s\n", in.count, in.reason)
	}
	fmt.Fprintf(c.out, "%d values in %d outputs differ\n", c.differ, c.different)
	switch {
	case c.commands == 0:
		return errors.New("no command was compared")
	case c.different > 0:
		return fmt.Errorf("%d outputs differ", c.different)
	}
	return nil
}
