package main

import (
	"strings"
	"testing"
)

// with returns a statement about a count with a verdict and a cause.
func with(id string, v Verdict, cause Cause, ours string) Statement {
	return Statement{ID: id, Phrase: "phrase of " + id, Paper: "paper", Ours: ours, Criterion: "limit", Decides: Count, Verdict: v, Cause: cause}
}

func TestSummary(t *testing.T) {
	p := paper{source: "Someone 2000", title: "Some bodies", main: []claim{
		{"One is fast", []string{"X1.a"}}, {"Two is faster", []string{"X2.*"}}, {"Three", []string{"X9.missing"}}, {"Four", []string{"X4.*"}},
	}}
	list := []Statement{
		with("X1.a", Yes, Agrees, "confirmed"),
		with("X2.b", Yes, Agrees, "confirmed"),
		with("X2.c", No, Kernel, "It is slower (much); and so on."),
		with("X2.d", Unchecked, Agrees, "missing"),
		with("X3.e", No, Fails, "never"),
		with("X3.f", No, Parameters, "seldom"),
		with("X3.g", Inconclusive, Noise, "noisy"),
		with("X3.h", Yes, Agrees, "confirmed"),
		with("X3.i", No, Fails, "fitted").uncounted(FittedTo),
		with("X4.j", Yes, Agrees, "added").uncounted(Addition),
	}
	want := "[**Someone 2000**](#some-bodies). One is fast: **yes**. Two is faster: **no** for X2.c (our kernel differs); **yes** for X2.b; **not at this size** for X2.d – X2.c: it is slower. " +
		"Also **no**: phrase of X3.e. Also **no** (the paper's parameters are unknown): phrase of X3.f. **Undecided**: phrase of X3.g. Others: 1 yes."
	if got := p.summary(list); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := p.summary(list[5:6]); !strings.Contains(got, "X3.f") || strings.Contains(got, "One is fast") {
		t.Errorf("without statements for the main claims: %s", got)
	}
}

// A claim with many statements has numbers instead of names.
func TestAnswer(t *testing.T) {
	list := []Statement{with("a", Yes, Agrees, ""), with("b", Yes, Agrees, ""), with("c", Yes, Agrees, ""), with("d", Inconclusive, Noise, "1.79 times.")}
	if got, want := answer(list), "**inconclusive** for d (noise); **yes** for 3 of 4 – d: 1.79 times"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	failed := []Statement{with("a", No, Fails, "One is slower.")}
	if got, want := answer(failed), "**no** – one is slower"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	same := []Statement{with("a", No, Kernel, "Exponent: 1.2; and so on."), with("b", No, Parameters, "Exponent: 1.3.")}
	if got, want := answer(same), "**no** (our kernel differs, the paper's parameters are unknown) – exponent: 1.2, 1.3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	same[1].Ours = "Factor: 2."
	if got, want := answer(same), "**no** (our kernel differs, the paper's parameters are unknown) – a: exponent: 1.2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := answer(list[:3]), "**yes**"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFirstClause(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"A step takes 331 (320–340) times as long.", "a step takes 331 (320–340) times as long"},
		{"Work and eq. 7 differ by 1.3. They are smallest at 5.", "work and eq. 7 differ by 1.3"},
		{"Exponent of the work: 1.51 ± 0.07; of the time: 1.28 ± 0.09.", "exponent of the work: 1.51 ± 0.07"},
		{"LLL needs less.", "LLL needs less"},
		{"K is 2.", "K is 2"},
		{"ν is 2.", "ν is 2"},
		{"Ω is 2.", "Ω is 2"},
		{"1.79 times.", "1.79 times"},
	} {
		if got := firstClause(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestClaimIn(t *testing.T) {
	for _, c := range []struct{ paper, want string }{
		{"§3.2: VL is the steepest, then LLL.", "VL is the steepest, then LLL"},
		{"Figure 10, left: only bodies with near numbers overlap.", "only bodies with near numbers overlap"},
		{"Eq. 7, L(m + 0.3), is in very good agreement with this: it fits.", "Eq. 7, L(m + 0.3), is in very good agreement with this: it fits"},
		{"no place", "no place"},
	} {
		if got := claimIn(c.paper); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
		if s := counted("X.y", "", c.paper, "o", "c", false, Fails, ""); s.Phrase != c.want || s.check() != nil {
			t.Errorf("phrase %q, %v", s.Phrase, s.check())
		}
	}
	s := with("X.y", No, Fails, "o")
	s.Phrase = ""
	if err := s.check(); err == nil || !strings.Contains(err.Error(), "phrase") {
		t.Errorf("no phrase: %v", err)
	}
	if err := s.uncounted(Addition).check(); err != nil {
		t.Error(err)
	}
}
