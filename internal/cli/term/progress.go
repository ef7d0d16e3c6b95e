package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
)

// Line is one line of a terminal that is written over and over. It never wraps. The zero
// Line shows nothing.
type Line struct {
	out   io.Writer  // nil: show nothing
	width func() int // columns of the terminal
	shown int        // columns that the last text takes
}

// newLine returns a line of w, which shows nothing unless w is a terminal.
func newLine(w io.Writer) Line {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return Line{}
	}
	return Line{out: f, width: func() int {
		width, _, err := term.GetSize(int(f.Fd()))
		if err != nil || width <= 0 {
			return 80
		}
		return width
	}}
}

// Line returns a progress line on standard error. It shows nothing if --quiet was given or
// standard error is not a terminal.
func (t *Terminal) Line() *Line {
	l := Line{}
	if !t.Quiet {
		l = newLine(t.Err)
	}
	return &l
}

// Visible reports whether the line shows anything.
func (l *Line) Visible() bool { return l.out != nil }

// Show replaces the text of the line. A text that is too long is cut.
func (l *Line) Show(text string) {
	if l.out == nil {
		return
	}
	// The last column stays free: a terminal may wrap after it.
	for limit := max(1, l.width()-1); utf8.RuneCountInString(text) > limit; {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	n := utf8.RuneCountInString(text)
	blanks := strings.Repeat(" ", max(0, min(l.shown, l.width()-1)-n))
	l.shown = n
	fmt.Fprint(l.out, "\r"+text+blanks) // a line that cannot be drawn must not stop the work
}

// Clear removes the text.
func (l *Line) Clear() {
	if l.out != nil && l.shown > 0 {
		l.Show("")
		fmt.Fprint(l.out, "\r")
	}
}

// Progress shows the stages of a command, one at a time, on a line of the terminal. Its methods
// may be called by several goroutines at once.
type Progress struct {
	mu    sync.Mutex
	line  *Line
	now   func() time.Time
	stage string
	begin time.Time // of the stage
	drawn time.Time // last frame of the stage, zero if there is none
}

// NewProgress returns the progress of standard error; see Line.
func (t *Terminal) NewProgress() *Progress { return &Progress{line: t.Line(), now: time.Now} }

// Start begins a stage and its clock.
func (p *Progress) Start(stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.start(stage)
}

func (p *Progress) start(stage string) { p.stage, p.begin, p.drawn = stage, p.now(), time.Time{} }

// Stage shows a stage of building a solid; see inpoly.Options.Progress. The stage "locate" is
// not shown: Points shows it.
func (p *Progress) Stage(stage string, done, total int64) {
	unit := ""
	if stage == "load" {
		unit = "B"
	}
	if stage != "locate" {
		p.Show(stage, done, total, unit, 0)
	}
}

// PointsStage is the stage that Points shows.
const PointsStage = "points"

// Points shows how many bytes of the points were read, and how many points per second were
// answered since Start(PointsStage).
func (p *Progress) Points(done, total, rows int64) { p.Show(PointsStage, done, total, "B", rows) }

// Show shows that done of total units of a stage are complete. total is 0 or less if it is not
// known. If rows is not 0, their number per second is shown too.
func (p *Progress) Show(stage string, done, total int64, unit string, rows int64) {
	if !p.line.Visible() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stage != stage {
		p.start(stage)
	}
	const interval = 100 * time.Millisecond // tuning
	now := p.now()
	if !p.drawn.IsZero() && now.Sub(p.drawn) < interval {
		return
	}
	p.drawn = now
	p.line.Show(frame(stage, done, total, unit, Rate(rows, now.Sub(p.begin)), p.line.width()-1))
}

// Done removes the line.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Clear()
	p.stage = ""
}

// frame returns the text of a stage. If there is room for a bar, the text is as long as the
// width.
func frame(stage string, done, total int64, unit string, rate float64, width int) string {
	text := stage
	if total > 0 {
		text += fmt.Sprintf(" %d %%", min(100, int64(100*float64(done)/float64(total))))
	} else if done > 0 {
		text += fmt.Sprintf(" %s%s", Short(float64(done)), unit)
	}
	if rate > 0 {
		text += fmt.Sprintf(", %s/s", Short(rate))
	}
	const least = 5 // columns of a bar
	room := width - len(text) - len(" []")
	if total <= 0 || room < least {
		return text
	}
	room = min(room, 40) // tuning: wide enough to see it move
	full := int(float64(room) * min(1, float64(max(0, done))/float64(total)))
	return fmt.Sprintf("%s [%s%s]", text, strings.Repeat("=", full), strings.Repeat(" ", room-full))
}
