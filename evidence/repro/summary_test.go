package main

import (
	"strings"
	"testing"
)

// with returns a statement about a count with a verdict and a cause.
func with(id string, v Verdict, cause Cause, ours string) Statement {
	return Statement{ID: id, Phrase: "phrase of " + id, Paper: "paper", Ours: ours, Criterion: "limit", Decides: Count, Verdict: v, Cause: cause}
}

func TestAnswer(t *testing.T) {
	list := []Statement{
		with("X1.a", Yes, Agrees, "confirmed").number("1"),
		with("X2.b", Yes, Agrees, "confirmed").number("2"),
		with("X2.c", No, Kernel, "slower").number("3"),
		with("X3.d", No, Fails, "never").number("4"),
		with("X4.e", Inconclusive, Noise, "noisy").number("5"),
		with("X4.f", Yes, Agrees, "confirmed").number("6"),
		with("X5.g", Yes, Agrees, "small").unchecked(),
		with("X6.h", No, Fails, "fitted").number("7").uncounted(FittedTo),
		with("X7.i", Yes, Agrees, "counted").number("8"),
		with("X7.j", No, Fails, "added").number("9").uncounted(Addition),
	}
	for _, c := range []struct{ pattern, holds, number, rows string }{
		{"X1.a", "yes", "1", "X1.a"},
		{"X2.*", "in part", "3", "X2.b X2.c"},
		{"X3.*", "no", "4", "X3.d"},
		{"X4.*", "inconclusive", "5", "X4.e X4.f"},
		{"X5.*", "not at this size", "", "X5.g"},
		{"X6.*", "", "", ""},
		{"X7.*", "yes", "8", "X7.i"},
		{"X8.*", "", "", ""},
	} {
		x := claim{ids: []string{c.pattern}}
		holds, number := x.answer(list)
		if rows := strings.Join(x.rows(list), " "); holds != c.holds || number != c.number || rows != c.rows {
			t.Errorf("%s: %q, %q, %q", c.pattern, holds, number, rows)
		}
	}
}

func TestDoesNotHold(t *testing.T) {
	list := []Statement{with("X1.a", Yes, Agrees, "Confirmed."), with("X1.b", No, Kernel, "It is slower (much); and so on."), with("X1.c", No, Fails, "Never."), with("X1.d", No, Fails, "Added.").uncounted(Addition)}
	want := "\n## What does not hold\n\n- X1.b: phrase of X1.b. Here it is slower. *our code has other costs.*\n- X1.c: phrase of X1.c. Here never.\n"
	if got := doesNotHold(list); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := doesNotHold(list[:1]); got != "" {
		t.Errorf("got %q", got)
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
		{"Eq. 4 gives (1,2) to (5,6).", "eq. 4 gives (1,2) to (5,6)"},
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
