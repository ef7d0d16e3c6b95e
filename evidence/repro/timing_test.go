package main

import (
	"slices"
	"testing"
	"time"
)

// Works take turns, and a short work has more rounds than a long one.
func TestWorksTakeTurns(t *testing.T) {
	r := &Run{Size: Small}
	var order []int
	work := func(k int, d time.Duration) []func() error {
		return []func() error{func() error { order = append(order, k); time.Sleep(d); return nil }}
	}
	s, err := r.turns(t.Context(), [][]func() error{work(0, 400*time.Millisecond), work(1, time.Millisecond)})
	if err != nil || len(s) != 2 || s[0][0] < 0.4 || s[1][0] < 1e-3 {
		t.Fatalf("%v, %v", s, err)
	}
	if !slices.Equal(order[:3], []int{0, 1, 1}) || len(order) < 4 {
		t.Errorf("order %v", order)
	}
}
