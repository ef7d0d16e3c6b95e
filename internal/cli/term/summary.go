package term

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
)

// LineWidth is the largest width of a line of a summary, in columns of a terminal. Most terminals
// begin with this width.
const LineWidth = 80

// Summary is the text at the end of a run.
type Summary struct {
	Lines   []string // what the user wants to know, each line at most LineWidth wide
	Details []string // what --verbose adds, in lines of any width
}

// Verbose reports whether the command has the flag --verbose.
func (t *Terminal) Verbose() bool { return t.verbose }

// Summarize prints the summary of a run and, if format is "json", the statistics.
func (t *Terminal) Summarize(s Summary, format string, statistics Object) error {
	lines := s.Lines
	if t.verbose {
		lines = append(lines[:len(lines):len(lines)], s.Details...)
	}
	for _, line := range lines {
		t.Note("%s", line)
	}
	if format != "json" {
		return nil
	}
	return PrintJSON(t.Err, statistics, "")
}

// Detail returns a line of Summary.Details: a label, and a formatted text.
func Detail(label, format string, args ...any) string {
	return fmt.Sprintf("  %-9s%s", label+":", fmt.Sprintf(format, args...))
}

// FirstFitting returns the first text that is at most LineWidth wide, or the last text.
func FirstFitting(texts ...string) string {
	for _, text := range texts {
		if Width(text) <= LineWidth {
			return text
		}
	}
	return texts[len(texts)-1]
}

// Counted is a number and a word after the number, such as 12 inside.
type Counted struct {
	N    int64
	Word string
}

// CountsLine returns a line such as "4,096 points: 356 inside, 3,645 outside, 95 on the surface". It
// is at most LineWidth wide for all numbers. If it would be wider, the words "on the surface" become
// "on", then the commas in numbers disappear, then numbers are rounded to three digits. rounded
// reports whether the numbers are rounded.
func CountsLine(total int64, noun string, parts []Counted) (line string, rounded bool) {
	exact := func(separator string) func(n int64) string {
		return func(n int64) string { return plural.Group(n, separator) }
	}
	write := func(prefix string, number func(n int64) string) string {
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = number(p.N) + " " + p.Word
		}
		return fmt.Sprintf("%s%s %s: %s", prefix, number(total), plural.Noun(total, noun), strings.Join(texts, ", "))
	}
	shorter := func(line string) string { return strings.Replace(line, " on the surface", " on", 1) }
	long, plain := write("", exact(",")), write("", exact(""))
	line = FirstFitting(long, shorter(long), plain, shorter(plain))
	if Width(line) <= LineWidth {
		return line, false
	}
	return shorter(write("about ", func(n int64) string { return Short(float64(n)) })), true
}

// Width returns the number of columns that a text takes on a terminal. Wide characters, such as
// Chinese characters, take two columns. So the result is an upper bound: it counts two columns for
// all characters from U+1100, where the wide characters begin (Unicode Standard Annex #11).
func Width(text string) (columns int) {
	for _, r := range text {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	if r >= 0x1100 && !('\u2000' <= r && r <= '\u22ff') { // dashes, ellipses, arrows and signs are narrow
		return 2
	}
	return 1
}

// CutMiddle returns a text that is at most the given width wide, which must be positive. An ellipsis
// replaces the middle of a wider text.
func CutMiddle(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	runes := []rune(text)
	left, right := 0, len(runes) // the text keeps runes[:left] and runes[right:]
	room := width - 1            // without the ellipsis
	for left < right {
		w := runeWidth(runes[left])
		next := right - 1
		if left > len(runes)-right { // the next character comes from the end
			w = runeWidth(runes[next])
		}
		if w > room {
			break
		}
		room -= w
		if left > len(runes)-right {
			right = next
		} else {
			left++
		}
	}
	return string(runes[:left]) + "…" + string(runes[right:])
}
