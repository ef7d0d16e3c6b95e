package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Verdict says whether a statement of a paper holds in our measurement.
type Verdict string

// The verdicts.
const (
	Yes          Verdict = "yes"
	No           Verdict = "no"
	Inconclusive Verdict = "inconclusive"     // the times do not decide
	Unchecked    Verdict = "not at this size" // the statement is about sizes that the run does not have
	Unmeasured   Verdict = "not measured"     // a program that the measurement needs is missing
)

// verdict returns Yes or No.
func verdict(holds bool) Verdict {
	if holds {
		return Yes
	}
	return No
}

// Quantity is the kind of number that decides a statement.
type Quantity string

// The quantities. A count does not depend on the machine or on its load.
const (
	Count Quantity = "count"
	Time  Quantity = "time"
)

// Cause is the reason why our result differs from the paper.
type Cause string

// The causes.
const (
	Agrees     Cause = ""
	Parameters Cause = "the paper's parameters are unknown"
	Kernel     Cause = "our code has other costs"
	Other      Cause = "we measured another quantity"
	Noise      Cause = "noise"
	Fails      Cause = "does not hold" // only where the quantity of the paper was measured
)

// Statement compares a statement of a paper with our count or measurement.
type Statement struct {
	ID        string // name of the statement, for example V2.list
	Paper     string // the statement, with its place in the paper
	Ours      string // what was counted or measured
	Number    string // the most important number of Ours, for statements that decide main claims
	Decides   Quantity
	Criterion string // when the verdict is yes
	Verdict   Verdict
	Cause     Cause  // empty if Verdict is Yes
	Why       string // explains the cause, or gives the times that confirm the counts
	Phrase    string // names the statement in the summary of the paper
	// Uncounted is the reason why the statement is not counted as evidence for or against the paper:
	// the paper does not state it, or a parameter was fitted to the paper's result. It is empty for
	// all others.
	Uncounted string

	timed *judgment // set for a statement about times
}

// judgment holds the data that decide a statement about times, so that the statement can be judged
// again.
type judgment struct {
	interval  Interval
	low, high float64
	relative  bool   // both parts of each quotient were measured in turns, so no drift changes the quotient
	cause     Cause  // if the verdict is No
	reason    string // why the last verdict was Inconclusive
}

// The reasons of Statement.Uncounted.
const (
	Addition = "our addition"
	FittedTo = "fitted to the paper"
)

// uncounted returns a copy of s that is not counted as evidence, for the given reason.
func (s Statement) uncounted(reason string) Statement {
	s.Uncounted = reason
	return s
}

// check returns an error if a field that the verdict needs is missing.
func (s Statement) check() error {
	switch {
	case s.ID == "" || s.Paper == "" || s.Ours == "" || s.Criterion == "":
		return fmt.Errorf("statement %q: a field is empty", s.ID)
	case s.Decides != Count && s.Decides != Time:
		return fmt.Errorf("statement %s: the quantity %q is unknown", s.ID, s.Decides)
	case s.Verdict == Inconclusive && s.Decides == Count && s.Cause != Noise:
		return fmt.Errorf("statement %s: counts decide, unless they are samples", s.ID)
	case (s.Verdict == No || s.Verdict == Inconclusive) != (s.Cause != Agrees):
		return fmt.Errorf("statement %s: verdict %q with cause %q", s.ID, s.Verdict, s.Cause)
	case s.Verdict == No && s.Uncounted == "" && s.Phrase == "":
		return fmt.Errorf("statement %s: it does not hold, but has no phrase for the summary of the paper", s.ID)
	}
	return nil
}

// claimIn returns the words of the paper without their place, as the phrase of a statement that has no
// shorter one.
func claimIn(paper string) string {
	place, claim, ok := strings.Cut(paper, ": ")
	if !ok || len(strings.Fields(place)) > 4 {
		claim = paper
	}
	return strings.TrimSuffix(claim, ".")
}

// counted returns a statement that a count decides. If the statement does not hold, its cause is the
// argument cause. Why is shown in both cases.
func counted(id, phrase, paper, ours, criterion string, holds bool, cause Cause, why string) Statement {
	s := Statement{ID: id, Phrase: cmp.Or(phrase, claimIn(paper)), Paper: paper, Ours: ours, Criterion: criterion, Decides: Count, Verdict: verdict(holds), Why: why}
	if !holds {
		s.Cause = cause
	}
	return s
}

// number returns a copy of s with its most important number.
func (s Statement) number(text string) Statement {
	s.Number = text
	return s
}

// unchecked returns a copy of s for a run whose size the statement is not about.
func (s Statement) unchecked() Statement {
	s.Verdict, s.Cause, s.Number = Unchecked, Agrees, ""
	return s
}

// unmeasured returns a copy of s for a machine that cannot measure it, for the given reason.
func (s Statement) unmeasured(reason error) Statement {
	s.Verdict, s.Cause, s.Ours = Unmeasured, Agrees, "Not measured: "+reason.Error()+"."
	return s
}

// Interval is the range of a quantity over the processes of a run, and its median. With five
// processes, the range contains the median of all possible processes with the probability
// 1 − 2·(½)⁵ = 94 %, whatever the distribution is.
type Interval struct {
	Low, Median, High float64
	N                 int // number of processes
}

// enough is the smallest number of processes whose times decide a statement.
const enough = 5

// newInterval returns the interval of some values. There must be at least one.
func newInterval(values []float64) Interval {
	return Interval{slices.Min(values), median(values), slices.Max(values), len(values)}
}

func (i Interval) String() string {
	if i.N == 1 {
		return short(i.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", short(i.Median), short(i.Low), short(i.High))
}

// judge decides whether a quantity lies between low and high. The answer is inconclusive if the interval
// contains a limit, if there are too few processes, or if the machine was busy. If the speed of the
// machine drifts by a factor, the quantity may be wrong by this factor, so judge widens the interval.
func (i Interval) judge(low, high float64, busy string, drift float64) (v Verdict, cause Cause, why string) {
	switch {
	case busy != "":
		return Inconclusive, Noise, busy
	case i.N < enough:
		return Inconclusive, Noise, fmt.Sprintf("%d of %d processes measured", i.N, enough)
	case i.Low/drift >= low && i.High*drift <= high:
		return Yes, Agrees, ""
	case i.High*drift < low || i.Low/drift > high:
		return No, Fails, ""
	case i.Low >= low && i.High <= high || i.High < low || i.Low > high:
		return Inconclusive, Noise, fmt.Sprintf("a calibration kernel varied by %.0f %%, and the limit is nearer", 100*(drift-1))
	}
	return Inconclusive, Noise, "the measured range includes the limit, so the answer could be yes or no"
}

// timedStatement returns a statement about times. The statement holds if the quantity lies between
// low and high. If it does not hold, its cause is the given cause. Function judgeTimes judges it
// again when the experiment has measured everything.
func (r *Run) timedStatement(id, phrase, paper, ours, criterion string, i Interval, low, high float64, cause Cause, why string) Statement {
	s := Statement{ID: id, Phrase: cmp.Or(phrase, claimIn(paper)), Paper: paper, Ours: ours, Criterion: criterion, Decides: Time, Why: why,
		timed: &judgment{interval: i, low: low, high: high, cause: cause}}
	s.judge(r.busy(), r.drift())
	return s
}

// tookTurns returns a copy of a statement about ratios of times that took turns in each process. A drift of the
// machine's speed changes both times, so it does not matter.
func (s Statement) tookTurns(r *Run) Statement {
	j := *s.timed
	j.relative, s.timed = true, &j
	s.judge(r.busy(), r.drift())
	return s
}

// judge decides a statement about times on a machine with the given load.
func (s *Statement) judge(busy string, drift float64) {
	j := s.timed
	if j.relative {
		drift = 1
	}
	why := s.Why
	if j.reason != "" {
		why = strings.TrimSpace(strings.TrimPrefix(why, j.reason+"."))
	}
	s.Verdict, s.Cause, j.reason = j.interval.judge(j.low, j.high, busy, drift)
	if s.Verdict == No {
		s.Cause = j.cause
	}
	s.Why = why
	if j.reason != "" {
		s.Why = strings.TrimSpace(j.reason + ". " + why)
	}
}

// judgeTimes decides all statements about times, with the load of the whole experiment. Its
// measurements must be complete.
func (r *Run) judgeTimes(list []Statement) {
	r.load = r.busy()
	drift := r.drift()
	for k := range list {
		if s := &list[k]; s.timed != nil && s.Verdict != Unchecked {
			s.judge(r.load, drift)
		}
	}
}

// ratios returns the quotients of two lists of samples, process by process.
func ratios(a, b []float64) []float64 {
	list := make([]float64, min(len(a), len(b)))
	for i := range list {
		list[i] = a[i] / b[i]
	}
	return list
}

// spreadOf returns the largest value divided by the smallest. It returns +Inf if a value is not
// positive.
func spreadOf(values []float64) float64 {
	low, high := slices.Min(values), slices.Max(values)
	if !(low > 0) {
		return math.Inf(1)
	}
	return high / low
}
