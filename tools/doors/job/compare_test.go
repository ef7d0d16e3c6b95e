package job

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// example is a job with all steps, for 3 points and then for 2, with an open that fails between.
func example() []Step {
	open := Open{How: "file", Method: "auto", Rule: "nonzero", Orient: "auto", Workers: 1, Sources: []string{"a.stl"}}.Step()
	return []Step{
		open, {"points", []string{"a.f64", "3"}}, {"sides", nil}, {"single", []string{"2"}}, {"windings", nil},
		{"distances", nil}, {"nearest", nil}, {"locate", []string{"first"}},
		open, {"points", []string{"a.f64", "3"}}, {"sides", nil},
		open, {"points", []string{"b.f32", "2"}}, {"sides", nil}, {"locate", []string{"count"}},
	}
}

// exampleAnswers returns random answers that fit the job, and where the status of each open is.
func exampleAnswers(r *rand.Rand) (answers []byte, opens []int) {
	random := func(n int) {
		for range n {
			answers = append(answers, byte(r.Uint32()))
		}
	}
	status := func(code uint32) {
		opens = append(opens, len(answers))
		answers = binary.LittleEndian.AppendUint32(answers, code)
	}
	const locate = 1 + 2*8 + 2*8 + 3*8 + 2*4 + 4
	status(0)
	random(3 + 2 + 3*16 + 3*16 + 3*(24+8) + 3*locate)
	status(5)
	status(0)
	random(2 + 2*locate)
	return answers, opens
}

// Compare finds each single bit that differs, and nothing else.
func TestCompareFindsEachBit(t *testing.T) {
	steps := example()
	want, opens := exampleAnswers(rand.New(rand.NewPCG(1, 2)))
	got := append([]byte{}, want...)
	if d, n, err := Compare(steps, want, got); len(d) > 0 || err != nil || n != 3+3+2+2*3+2*3+3*3+9*3+2+9*2 {
		t.Fatalf("equal answers: differences %v in %d points, error %v", d, n, err)
	}
	all, err := segments(steps, want)
	if err != nil {
		t.Fatal(err)
	}
	isStatus := map[int]bool{}
	for _, at := range opens {
		for k := range 4 {
			isStatus[at+k] = true
		}
	}
	for bit := range 8 * len(want) {
		at := bit / 8
		got[at] ^= 1 << (bit % 8)
		d, _, err := Compare(steps, want, got)
		got[at] = want[at]
		if len(d) != 1 || (err != nil) != isStatus[at] {
			t.Fatalf("bit %d of byte %d: differences %v, error %v", bit%8, at, d, err)
		}
		k := 0
		for k+1 < len(all) && all[k+1].at <= at {
			k++
		}
		point := (at - all[k].at) / (all[k].field.Kind.Bytes() * all[k].field.Width)
		if isStatus[at] {
			point = -1
		}
		if d[0].Step != all[k].step || d[0].Field != all[k].field.Name || d[0].Point != point || d[0].Want == d[0].Got {
			t.Fatalf("bit %d of byte %d: found %+v, expected step %d, %s, point %d", bit%8, at, d[0], all[k].step, all[k].field.Name, point)
		}
	}
}

// Compare refuses answers that are too short or too long.
func TestCompareLengths(t *testing.T) {
	steps := example()
	want, _ := exampleAnswers(rand.New(rand.NewPCG(3, 4)))
	for n := range want {
		if _, _, err := Compare(steps, want, want[:n]); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(want))
		}
		if _, _, err := Compare(steps, want[:n], want); err == nil {
			t.Fatalf("%d of %d wanted bytes are accepted", n, len(want))
		}
	}
	longer := append(append([]byte{}, want...), 0)
	if _, _, err := Compare(steps, want, longer); err == nil {
		t.Error("an additional byte is accepted")
	}
	if _, _, err := Compare(steps, longer, longer); err == nil {
		t.Error("an additional wanted byte is accepted")
	}
}

// A job that was written is read back.
func TestReadWrite(t *testing.T) {
	path := t.TempDir() + "/job"
	if err := Write(path, example()); err != nil {
		t.Fatal(err)
	}
	steps, err := Read(path)
	if err != nil || len(steps) != len(example()) {
		t.Fatalf("%d steps, error %v", len(steps), err)
	}
	for i, s := range example() {
		if steps[i].String() != s.String() {
			t.Errorf("step %d: %s, expected %s", i, steps[i], s)
		}
	}
	o, err := steps[0].Open()
	if err != nil || o.Step().String() != steps[0].String() {
		t.Errorf("%+v, error %v", o, err)
	}
	if err := Write(path, []Step{{"points", []string{"a\tb", "1"}}}); err == nil {
		t.Error("a tab in an argument is accepted")
	}
}
