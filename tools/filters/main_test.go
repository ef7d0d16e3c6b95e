package main

import (
	"io"
	"math/big"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const root = "../.."

func needGappa(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("gappa"); err != nil {
		t.Skip("skipped: gappa is missing")
	}
}

func TestProofs(t *testing.T) {
	needGappa(t)
	if err := run(t.Context(), root, io.Discard); err != nil {
		t.Error(err)
	}
}

// Without Gappa, at least the packages and the constants that the proofs name must exist.
func TestNames(t *testing.T) {
	proofs, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(proofs) == 0 {
		t.Error("no proofs")
	}
}

// Each constant is necessary: Gappa refuses a proof if a bound is smaller, or if another constant is
// larger. Bounds of rounding errors may be at most four times as large as necessary.
func TestSmallerConstants(t *testing.T) {
	if os.Getenv("INPOLY_FULL") == "" {
		t.Skip("takes eight seconds of CPU time: set INPOLY_FULL=1")
	}
	needGappa(t)
	proofs, err := find(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proofs {
		for name, v := range p.constants {
			// Halve the constant until the proof fails, then double it until it fails.
			fails := func(shift int) bool {
				values := map[string]*big.Rat{}
				for n, x := range p.constants {
					values[n] = x
				}
				factor := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(shift, -shift))))
				if shift < 0 {
					factor.Inv(factor)
				}
				values[name] = new(big.Rat).Mul(v, factor)
				text, err := p.instance(values)
				if err != nil {
					t.Fatal(err)
				}
				return prove(t.Context(), text) != nil
			}
			found := 0
			for k := 1; k <= 256 && found == 0; k *= 2 {
				if fails(-k) {
					found = -k
				} else if fails(k) {
					found = k
				}
			}
			switch {
			case found == 0:
				t.Errorf("%s: the proof does not need %s", p.path, name)
			case strings.HasPrefix(name, "bound") || strings.HasPrefix(name, "error"):
				if found != -1 && found != -2 {
					t.Errorf("%s: the proof of %s fails at 2^%d times its value", p.path, name, found)
				}
			}
			t.Logf("%s: the proof fails at 2^%d times %s", p.path, found, name)
		}
	}
}

func TestCheckAssembly(t *testing.T) {
	const text = `example.com/p.(*T).Rounded STEXT size=10
	0x0000 00000 (p.go:1)	FMULD	F1, F2, F3
	0x0004 00004 (p.go:1)	FADDD	F1, F3, F3
example.com/p.Fused STEXT nosplit size=10
	0x0000 00000 (p.go:2)	FMSUBD	F1, F2, F3, F4
`
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"Rounded"}, ""},
		{[]string{"Rounded", "Fused"}, "FMSUBD"},
		{[]string{"Inlined"}, "no machine code"},
	} {
		err := checkAssembly(text, c.names)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.names, err, c.want)
		}
	}
}
