package main

import (
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress is a bar on standard error, if that is a terminal. The zero value shows
// nothing.
type progress struct {
	bar  *progressbar.ProgressBar
	name string
}

// newProgress returns the progress of an experiment.
func newProgress(name string) progress {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return progress{}
	}
	return progress{name: name, bar: progressbar.NewOptions(1, progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(name), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))}
}

// plan tells how many steps there will be.
func (p *progress) plan(steps int) {
	if p.bar != nil {
		p.bar.ChangeMax(max(steps, 1))
	}
}

// step tells that one more is done, and what comes next. Errors of a terminal do not
// matter to an experiment.
func (p *progress) step(next string) {
	if p.bar != nil {
		p.bar.Describe(p.name + " " + next)
		_ = p.bar.Add(1)
	}
}

// end clears the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish()
	}
}

// say tells what is being done.
func (p *progress) say(what string) {
	if p.bar != nil {
		p.bar.Describe(p.name + " " + what)
	}
}
