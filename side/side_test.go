package side

import (
	"encoding/json"
	"math"
	"testing"
)

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		rule     Rule
		w, bound float64
		want     Side
		ok       bool
	}{
		{NonZero, 1, 0, Inside, true},
		{NonZero, -1, 0.4, Inside, true},
		{NonZero, 0.5, 0, Outside, false},
		{NonZero, 0.45, 0.04, Outside, true},
		{NonZero, -0.45, 0.06, Outside, false},
		{Positive, -2, 0.1, Outside, true},
		{Positive, 0.6, 0.05, Inside, true},
		{Negative, -0.6, 0.05, Inside, true},
		{Negative, 2, 0.05, Outside, true},
		{EvenOdd, 1.2, 0.2, Inside, true},
		{EvenOdd, -1.2, 0.2, Inside, true},
		{EvenOdd, 2.4, 0.05, Outside, true},
		{EvenOdd, 2.5, 0, Outside, false},
		{EvenOdd, 1.4, 0.2, Inside, false},
	} {
		got, ok := tc.rule.Decide(tc.w, tc.bound)
		if ok != tc.ok || ok && got != tc.want {
			t.Errorf("%v.Decide(%v, %v) = %v, %v, want %v, %v", tc.rule, tc.w, tc.bound, got, ok, tc.want, tc.ok)
		}
	}
}

func TestDecideNaN(t *testing.T) {
	for _, r := range []Rule{NonZero, Positive, Negative, EvenOdd} {
		if s, ok := r.Decide(math.NaN(), 0); ok {
			t.Errorf("%v.Decide(NaN, 0) = %v, true", r, s)
		}
		if s, ok := r.Decide(1, math.NaN()); ok {
			t.Errorf("%v.Decide(1, NaN) = %v, true", r, s)
		}
	}
}

func TestText(t *testing.T) {
	type record struct {
		Side Side
		Rule Rule
	}
	for s := Unknown; s <= Inside; s++ {
		for r := NonZero; r <= EvenOdd; r++ {
			text, err := json.Marshal(record{s, r})
			if want := `{"Side":"` + s.String() + `","Rule":"` + r.String() + `"}`; err != nil || string(text) != want {
				t.Fatalf("Marshal = %s, %v, want %s", text, err, want)
			}
			var got record
			if err := json.Unmarshal(text, &got); err != nil || got != (record{s, r}) {
				t.Fatalf("Unmarshal(%s) = %v, %v", text, got, err)
			}
		}
	}
	if _, err := json.Marshal(Side(9)); err == nil {
		t.Error("Side(9) was marshaled")
	}
	if _, err := json.Marshal(Rule(9)); err == nil {
		t.Error("Rule(9) was marshaled")
	}
	var got record
	for _, text := range []string{`{"Side":"inside"}`, `{"Rule":"odd"}`} {
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was accepted as %v", text, got)
		}
	}
}

func TestContains(t *testing.T) {
	for s, want := range map[Side]bool{Unknown: false, Outside: false, OnSurface: true, Inside: true} {
		if got := s.Contains(); got != want {
			t.Errorf("%v.Contains() = %v", s, got)
		}
	}
}
