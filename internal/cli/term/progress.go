package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/inpoly/inpoly/internal/quote"
)

// Line is a terminal line with a changing text. Each text overwrites the previous text. The line
// never wraps. The zero Line shows nothing.
type Line struct {
	out   io.Writer  // nil if the line shows nothing
	width func() int // number of columns of the terminal
	shown int        // number of columns of the last text
}

// Line returns a progress line on standard error. The line shows nothing with --quiet, or if
// standard error is not a terminal.
func (t *Terminal) Line() *Line {
	f, ok := t.Err.(*os.File)
	if !ok || t.Quiet || !IsTerminal(f) {
		return &Line{}
	}
	return &Line{out: f, width: func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}}
}

// Visible reports whether the line shows anything.
func (l *Line) Visible() bool { return l.out != nil }

// Show replaces the text of the line. It truncates a text that is too long, and escapes control
// characters.
func (l *Line) Show(text string) {
	if l.out == nil {
		return
	}
	text = quote.Line(text)
	// The last column stays free because some terminals wrap after it.
	limit := max(1, l.width()-1)
	n := Width(text)
	for n > limit {
		r, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
		n -= runeWidth(r)
	}
	blanks := strings.Repeat(" ", max(0, min(l.shown, limit)-n))
	l.shown = n
	fmt.Fprint(l.out, "\r"+text+blanks) // ignore the error: it must not stop the work
}

// Clear removes the text.
func (l *Line) Clear() {
	if l.out != nil && l.shown > 0 {
		l.Show("")
		fmt.Fprint(l.out, "\r")
	}
}

// Progress shows the current stage of a command on a line of the terminal. It is safe for
// concurrent use.
type Progress struct {
	last  *atomic.Value // the last stage, for errors
	mu    sync.Mutex
	line  *Line
	now   func() time.Time
	stage string
	begin time.Time
	drawn time.Time // time of the last frame of the stage, or zero
}

// NewProgress returns a Progress on standard error.
func (t *Terminal) NewProgress() *Progress {
	return &Progress{last: &t.stage, line: t.Line(), now: time.Now}
}

// Start begins a stage and starts its clock.
func (p *Progress) Start(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start(stage)
}

func (p *Progress) start(stage string) {
	p.last.Store(stage)
	p.stage, p.begin, p.drawn = stage, p.now(), time.Time{}
}

// Stage shows the progress of building a solid. It has the signature of inpoly.Options.Progress. It
// ignores the stage "locate", because the method Points shows the progress of locating points.
func (p *Progress) Stage(stage string, done, total int64) {
	unit := ""
	if stage == "load" {
		unit = "B"
	}
	if stage != "locate" {
		p.Show(stage, done, total, unit, 0)
	}
}

// PointsStage is the name of the stage that Points shows.
const PointsStage = "points"

// Points shows the progress of reading points, in bytes, and the number of rows per second since
// Start(PointsStage).
func (p *Progress) Points(done, total, rows int64) { p.Show(PointsStage, done, total, "B", rows) }

// leastTime is the shortest time from which a rate is computed. In a shorter time, a single block of
// rows changes the rate by a large factor.
const leastTime = 500 * time.Millisecond // tuning

// Show shows the progress of a stage. If total ≤ 0, the total number of units is unknown. If rows
// is not 0 and the stage has lasted half a second, Show adds the number of rows per second.
func (p *Progress) Show(stage string, done, total int64, unit string, rows int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != stage {
		p.start(stage)
	}
	if !p.line.Visible() {
		return
	}
	const interval = 100 * time.Millisecond // tuning: shortest time between two frames
	now := p.now()
	if !p.drawn.IsZero() && now.Sub(p.drawn) < interval {
		return
	}
	p.drawn = now
	rate := 0.0
	if took := now.Sub(p.begin); took >= leastTime {
		rate = Rate(rows, took)
	}
	p.line.Show(frame(stage, done, total, unit, rate, p.line.width()-1))
}

// Done clears the line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Clear()
	p.stage = ""
}

// frame returns the text of a stage. The text has a progress bar if the total is known and the bar
// fits into the width. On a narrow terminal, the percentage replaces the rate, and the rate replaces
// a number of units without a total.
func frame(stage string, done, total int64, unit string, rate float64, width int) string {
	text := stage
	if total > 0 {
		text += fmt.Sprintf(" %d %%", min(100, int64(100*float64(done)/float64(total))))
	} else if done > 0 {
		text += fmt.Sprintf(" %s%s", Short(float64(done)), unit)
	}
	if rate > 0 {
		perSecond := Short(rate) + "/s"
		switch with := text + ", " + perSecond; {
		case Width(with) <= width:
			text = with
		case total <= 0:
			text = stage + " " + perSecond
		}
	}
	const least = 5 // smallest number of columns of a bar
	room := width - Width(text) - len(" []")
	if total <= 0 || room < least {
		return text
	}
	room = min(room, 40) // tuning: wide enough to show small changes
	full := int(float64(room) * min(1, float64(max(0, done))/float64(total)))
	return fmt.Sprintf("%s [%s%s]", text, strings.Repeat("=", full), strings.Repeat(" ", room-full))
}
