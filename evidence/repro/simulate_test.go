package main

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(stepsVariable) != "" { // a process that another one simulates
		if err := command().ExecuteContext(context.Background()); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A simulation repeats, whatever else the machine does.
func TestSimulateRepeats(t *testing.T) {
	r := &Run{Size: Small, Threads: 1, Cache: t.TempDir()}
	a, err := r.simulate(t.Context(), "novel C 2D")
	if errors.Is(err, errNoValgrind) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.simulate(t.Context(), "novel C 2D")
	if err != nil {
		t.Fatal(err)
	}
	if !(a.instructions > 1e7) || math.Abs(a.instructions/b.instructions-1) > 0.01 {
		t.Errorf("%+v and %+v", a, b)
	}
}
