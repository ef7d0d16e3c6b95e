package main

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// intention is a difference that is meant.
type intention struct {
	match  *regexp.Regexp // of "unit|group" or of a command line
	reason string
	groups int
}

// readIntentions reads lines of a regular expression, a tab and a reason.
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
			return nil, fmt.Errorf("%s: %q: want a regular expression, a tab and a reason", path, line)
		}
		m, err := regexp.Compile(expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, &intention{match: m, reason: reason})
	}
	return list, nil
}

func intended(list []*intention, name string) *intention {
	for _, in := range list {
		if in.match.MatchString(name) {
			in.groups++
			return in
		}
	}
	return nil
}

// comparison counts what diff finds.
type comparison struct {
	oldDir, newDir         string
	oldProgram, newProgram string
	corpus, work           string
	intended               []*intention
	most                   int // units asked again

	units, groups   int
	values          int64
	methods         map[string]int64 // values compared by method
	differ          int              // groups
	differValues    int64
	within          int64 // values that differ within their bounds
	statistics      int   // groups of statistics that differ
	unintendedUnits int
}

func diff(args []string) error {
	fs := flag.NewFlagSet("diff", flag.ExitOnError)
	c := comparison{methods: map[string]int64{}}
	fs.StringVar(&c.oldDir, "old", "", "folder of the records of the old revision")
	fs.StringVar(&c.newDir, "new", "", "folder of the records of the new revision")
	fs.StringVar(&c.oldProgram, "old-program", "", "this program, compiled with the old revision")
	fs.StringVar(&c.newProgram, "new-program", "", "this program, compiled with the new revision")
	fs.StringVar(&c.corpus, "corpus", os.Getenv("INPOLY_CORPUS"), "folder of meshes with a MANIFEST.tsv")
	fs.StringVar(&c.work, "work", "2000000000", "as for run")
	fs.IntVar(&c.most, "most", 20, "number of units with differences that are compared value by value")
	sample := fs.Int("sample", 0, "number of meshes; 0 means all")
	filter := fs.String("filter", "", "regular expression for the names of units")
	file := fs.String("intended", "", "file of differences that are meant")
	fs.Parse(args)
	var err error
	if c.intended, err = readIntentions(*file); err != nil {
		return err
	}
	all, err := units(c.corpus, *sample)
	if err != nil {
		return err
	}
	match, err := regexp.Compile(*filter)
	if err != nil {
		return err
	}
	for _, u := range all {
		if match.MatchString(u.name) {
			if err := c.unit(u); err != nil {
				return err
			}
		}
	}
	return c.report()
}

func (c *comparison) report() error {
	fmt.Printf("%d units of work, %d groups, %d values compared\n", c.units, c.groups, c.values)
	for _, m := range methods {
		fmt.Printf("  %-9s %d\n", m, c.methods[m])
	}
	fmt.Printf("%d groups differ, with %d values, %d of them winding numbers within their bounds\n", c.differ, c.differValues, c.within)
	fmt.Printf("%d groups of statistics differ (for information)\n", c.statistics)
	for _, in := range c.intended {
		fmt.Printf("intended: %d groups: %s\n", in.groups, in.reason)
	}
	if c.units == 0 {
		return errors.New("nothing compared")
	}
	if c.unintendedUnits > 0 {
		return fmt.Errorf("%d units of work differ", c.unintendedUnits)
	}
	return nil
}

// isStatistics reports whether a group tells how answers were found, not what they are.
func isStatistics(group string) bool {
	return strings.HasSuffix(group, "stats") || strings.HasSuffix(group, "|method")
}

func (c *comparison) unit(u unit) error {
	before, order, err := readRecord(filepath.Join(c.oldDir, u.file()))
	if err != nil {
		return err
	}
	after, more, err := readRecord(filepath.Join(c.newDir, u.file()))
	if err != nil {
		return err
	}
	c.units++
	for _, name := range more {
		if _, ok := before[name]; !ok {
			order = append(order, name)
		}
	}
	var differ []string
	for _, name := range order {
		b, a := before[name], after[name]
		n, _ := strconv.ParseInt(b.count, 10, 64)
		method, _, _ := strings.Cut(name, "|")
		c.groups, c.values = c.groups+1, c.values+n
		c.methods[method] += n
		switch {
		case a == b:
		case isStatistics(name):
			c.statistics++
			fmt.Printf("statistics: %s|%s\n", u.name, name)
		default:
			differ = append(differ, name)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return c.differences(u, differ, before, after)
}

// differences lists the groups that differ, with their values.
func (c *comparison) differences(u unit, differ []string, before, after map[string]group) error {
	c.differ += len(differ)
	var open []string
	for _, name := range differ {
		full := u.name + "|" + name
		in := intended(c.intended, full)
		switch {
		case in != nil:
			fmt.Printf("intended: %s: %s\n", full, in.reason)
		case before[name].kind == "" || after[name].kind == "":
			fmt.Printf("DIFFERS: %s: only one revision has it\n", full)
			c.unintendedUnits++
		default:
			open = append(open, name)
		}
	}
	if len(open) == 0 {
		return nil
	}
	if c.most--; c.most < 0 {
		fmt.Printf("DIFFERS: %s: %d groups\n", u.name, len(open))
		c.unintendedUnits++
		return nil
	}
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// Bounds are wanted too, to judge winding numbers.
	wanted := slices.Clone(open)
	for _, name := range open {
		if bound := boundOf(name); bound != "" && !slices.Contains(wanted, bound) {
			wanted = append(wanted, bound)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "groups"), []byte(strings.Join(wanted, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	if err := c.again(u, c.oldProgram, dir, "old"); err != nil {
		return err
	}
	if err := c.again(u, c.newProgram, dir, "new"); err != nil {
		return err
	}
	bad := false
	for _, name := range open {
		text, n, within, err := compareValues(dir, name, before[name].kind)
		if err != nil {
			return err
		}
		c.differValues, c.within = c.differValues+n, c.within+within
		word := "DIFFERS"
		switch {
		case mayUpgrade(name) && n == within && n > 0:
			word = "within bounds"
		case mayUpgrade(name) && boundOfWinding(name) && allWithin(dir, name):
			word = "bounds of winding numbers that agree within them"
		default:
			bad = true
		}
		fmt.Printf("%s: %s|%s: %s\n", word, u.name, name, text)
	}
	if bad {
		c.unintendedUnits++
	}
	return nil
}

// again asks for a unit with a program and keeps the values of the groups that differ.
func (c *comparison) again(u unit, program, dir, name string) error {
	values := filepath.Join(dir, name)
	if err := os.Mkdir(values, 0o755); err != nil {
		return err
	}
	cmd := exec.Command(program, "run", "-corpus", c.corpus, "-out", filepath.Join(dir, name+"-records"), "-work", c.work,
		"-filter", "^"+regexp.QuoteMeta(u.name)+"$", "-values", values, "-groups", filepath.Join(dir, "groups"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}

// mayUpgrade reports whether the winding numbers of a group may depend on when a better
// index was built, and so need to agree only within their bounds. A fixed method does not
// build one when it expects many points.
func mayUpgrade(name string) bool {
	return strings.HasPrefix(name, "auto|") || strings.HasPrefix(name, "fmm|") && strings.Contains(name, "|few|")
}

// boundOf returns the name of the group with the bounds of a group of winding numbers,
// or nothing.
func boundOf(name string) string {
	for _, end := range []string{"winding", "winding1"} {
		if rest, ok := strings.CutSuffix(name, end); ok {
			return rest + strings.Replace(end, "winding", "bound", 1)
		}
	}
	return ""
}

func boundOfWinding(name string) bool {
	return strings.HasSuffix(name, "bound") || strings.HasSuffix(name, "bound1")
}

// allWithin reports whether the winding numbers of a group of bounds agree within them.
func allWithin(dir, bound string) bool {
	i := strings.LastIndex(bound, "bound")
	winding := bound[:i] + strings.Replace(bound[i:], "bound", "winding", 1)
	_, n, within, err := compareValues(dir, winding, kindFloat)
	return err == nil && n == within
}

// compareValues returns a line about the values of a group in the folders old and new of
// dir, how many of them differ, and how many of those are winding numbers that differ by
// at most the sum of their bounds.
func compareValues(dir, name, kind string) (text string, differ, within int64, err error) {
	before, err := os.ReadFile(filepath.Join(dir, "old", valuesName(name)))
	if err != nil {
		return "", 0, 0, err
	}
	after, err := os.ReadFile(filepath.Join(dir, "new", valuesName(name)))
	if err != nil {
		return "", 0, 0, err
	}
	if kind == kindText {
		return fmt.Sprintf("%q, %q", before, after), 1, 0, nil
	}
	size := map[string]int{kindByte: 1, kindInt: 4, kindCount: 8, kindFloat: 8}[kind]
	if len(before) != len(after) {
		return fmt.Sprintf("%d values, %d values", len(before)/size, len(after)/size), 1, 0, nil
	}
	var oldBounds, newBounds []byte
	if bound := boundOf(name); bound != "" {
		oldBounds, _ = os.ReadFile(filepath.Join(dir, "old", valuesName(bound)))
		newBounds, _ = os.ReadFile(filepath.Join(dir, "new", valuesName(bound)))
	}
	first, largest := -1, 0.
	for i := 0; i < len(before); i += size {
		b, a := before[i:i+size], after[i:i+size]
		if string(a) == string(b) {
			continue
		}
		if differ++; first < 0 {
			first = i / size
		}
		if kind == kindFloat {
			d := math.Abs(float(a) - float(b))
			largest = max(largest, d)
			if len(oldBounds) == len(before) && len(newBounds) == len(after) && d <= float(oldBounds[i:])+float(newBounds[i:]) {
				within++
			}
		}
	}
	if first < 0 {
		return "equal when asked again: not deterministic", 1, 0, nil
	}
	at := func(x []byte) string { return value(x[first*size:first*size+size], kind) }
	text = fmt.Sprintf("%d of %d values differ, first number %d: %s, %s", differ, len(before)/size, first, at(before), at(after))
	if kind == kindFloat {
		text += fmt.Sprintf("; largest difference %g, %d within bounds", largest, within)
	}
	return text, differ, within, nil
}

func float(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

func value(b []byte, kind string) string {
	switch kind {
	case kindByte:
		return strconv.Itoa(int(b[0]))
	case kindInt:
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b))))
	case kindCount:
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10)
	}
	return strconv.FormatFloat(float(b), 'g', -1, 64)
}
