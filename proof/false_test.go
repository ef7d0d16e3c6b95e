package proof

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/bem"
	"github.com/inpoly/inpoly/internal/engine/locate"
	"github.com/inpoly/inpoly/internal/predicates"
	"github.com/inpoly/inpoly/internal/referee"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/internal/vec"
	"github.com/inpoly/inpoly/raycross"
)

// judge decides whether the answers in lines of proof files are true. For small meshes it computes
// sides by brute force in integers, without the code that wrote the lines.
type judge struct {
	solid    *inpoly.Solid
	boundary *bem.Boundary
	counts   bool
}

func newJudge(s *inpoly.Solid) *judge {
	m := s.Mesh()
	return &judge{s, bem.NewBoundary(m), m.Closed() || s.Report().Rule == inpoly.EvenOdd && m.EvenEdges()}
}

// isTrue reports whether the answer in an accepted line is true. It returns an error if the line has
// no answer in the format.
func (j *judge) isTrue(line string) (bool, error) {
	words := strings.Split(line, " ")
	if len(words) < 8 {
		return false, fmt.Errorf("%d words", len(words))
	}
	if words[7] == "none" {
		return true, nil
	}
	var x [3]float64
	for k := range x {
		var err error
		if x[k], err = strconv.ParseFloat(words[1+k], 64); err != nil {
			return false, err
		}
	}
	p := r3.Vector{X: x[0], Y: x[1], Z: x[2]}
	if !vec.Finite(p) {
		return false, nil
	}
	side, w := j.truth(p)
	if side.String() != words[4] {
		return false, nil
	}
	if words[5] != "-" || words[6] != "-" {
		face, err := strconv.Atoi(words[5])
		if err != nil {
			return false, err
		}
		distance, err := strconv.ParseFloat(words[6], 64)
		if err != nil {
			return false, err
		}
		if d, f := j.solid.Distance(p); d != distance || int(f) != face {
			return false, nil
		}
	}
	switch words[7] {
	case "on":
		face, err := strconv.Atoi(words[8])
		if err != nil {
			return false, err
		}
		t := j.solid.Mesh().Triangle(int32(face))
		return predicates.OnTriangle(p, t[0], t[1], t[2]), nil
	case "ray":
		return !j.solid.Mesh().Closed() || words[8] == strconv.Itoa(w), nil
	case "sum":
		return j.isWinding(p, words[8], words[9])
	}
	return true, nil
}

// truth returns the exact side of p, and its winding number if the mesh is closed.
func (j *judge) truth(p r3.Vector) (inpoly.Side, int) {
	m := j.solid.Mesh()
	if j.counts && m.NumFaces() < 200 && vec.MaxAbs(p) < 0x1p900 {
		w, crossings, on := referee.Judge(m.Vertices, m.Faces, p)
		if on {
			return inpoly.OnSurface, 0
		}
		return j.solid.Report().Rule.Apply(int64(w), uint64(crossings)), w
	}
	w, _ := j.solid.Winding(p)
	return j.solid.Side(p), int(w)
}

// isWinding reports whether the winding number of p is within the bound of the value, to 30 digits.
func (j *judge) isWinding(p r3.Vector, value, bound string) (bool, error) {
	w, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return false, err
	}
	b, err := strconv.ParseFloat(bound, 64)
	if err != nil {
		return false, err
	}
	var scratch raycross.Scratch
	n := locate.Of(j.solid).Surface.MustIndex().Rays.Count(p, &scratch)
	sum, rest, ok := j.boundary.PreciseSum(p, n.Target, 1e-30, nil)
	if n.OnSurface || !ok {
		return false, nil
	}
	diff := new(big.Float).SetPrec(300).Add(sum, big.NewFloat(float64(n.Signed)))
	diff.Abs(diff.Sub(diff, big.NewFloat(w)))
	return diff.Cmp(rest.Add(rest, big.NewFloat(b))) <= 0, nil
}

// falsify changes the answer of a line, in a way that tries to fool the checker. others are lines of the
// same file. The result can still be true.
func falsify(words []string, others []string, faces int, r *rand.Rand) []string {
	out := append([]string(nil), words...)
	other := strings.Split(others[r.IntN(len(others))], " ")
	flip := func() {
		out[4] = map[string]string{"in": "out", "out": "in", "on": "in", "uncertain": "in"}[out[4]]
		if d, ok := strings.CutPrefix(out[6], "-"); ok && d != "" {
			out[6] = d
		} else if !ok && out[6] != "0" {
			out[6] = "-" + out[6]
		}
	}
	number := func(s string) float64 {
		x, _ := strconv.ParseFloat(s, 64)
		return x
	}
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	isRay := len(out) > 11 && (out[7] == "ray" || out[7] == "sum")
	switch r.IntN(12) {
	case 0:
		flip()
	case 1: // the side and the winding number
		if flip(); isRay {
			out[8] = text(number(out[8]) + float64(2*r.IntN(2)-1))
		}
	case 2: // leaves out a crossing, and corrects the winding number
		if last := out[len(out)-1]; isRay && len(out) > 12 {
			out = out[:len(out)-1]
			if flip(); last[0] == '+' {
				out[8] = text(number(out[8]) - 1)
			} else {
				out[8] = text(number(out[8]) + 1)
			}
		}
	case 3: // adds a crossing
		if isRay {
			out[8] = text(number(out[8]) + 1)
			out = append(out, "+"+strconv.Itoa(r.IntN(faces)))
			flip()
		}
	case 4: // turns a crossing over
		if k := len(out) - 1; isRay && k > 11 {
			out[8] = text(number(out[8]) - 2)
			out[k] = strings.Replace(out[k], "+", "-", 1)
		}
	case 5: // the neighbor of the distance
		if out[6] != "-" {
			out[6] = text(math.Nextafter(number(out[6]), []float64{-1e300, 1e300}[r.IntN(2)]))
		}
	case 6: // another face
		if out[5] != "-" {
			out[5] = strconv.Itoa(r.IntN(faces))
		}
	case 7: // the surface
		out = append(out[:4], "on", "-", "-", "on", strconv.Itoa(r.IntN(faces)))
	case 8: // the box
		out = append(out[:4], "out", "-", "-", "box")
	case 9: // the proof of another point
		out = append(out[:4], other[4:]...)
	case 10: // a winding number beyond its bound, and a bound that is too small
		if isRay && out[7] == "sum" {
			b := number(out[9])
			out[8] = text(number(out[8]) + b*(1.5+4*r.Float64())*float64(2*r.IntN(2)-1))
		} else if isRay {
			out[8] = strconv.Itoa(r.IntN(5) - 2)
		}
	case 11: // a ray that ends at the point of another line, without crossings
		if isRay {
			k := 8 + map[string]int{"ray": 1, "sum": 2}[out[7]]
			out = append(out[:k], other[1], other[2], other[3])
			out[8] = "0"
			flip()
		}
	}
	return out
}

// mutate changes a text at random: bytes, or words.
func mutate(text string, words []string, r *rand.Rand) string {
	const alphabet = "0123456789 +-.e_nxa\n"
	b := []byte(text)
	for range 1 + r.IntN(2) {
		i := r.IntN(len(b))
		c := alphabet[r.IntN(len(alphabet))]
		switch r.IntN(6) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b[i] = c
		case 2:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		case 3:
			if len(b) > 1 {
				b = append(b[:i], b[i+1:]...)
			}
		default: // a word
			lo := bytes.LastIndexAny(b[:i], " \n") + 1
			hi := i
			for hi < len(b) && b[hi] != ' ' && b[hi] != '\n' {
				hi++
			}
			b = append(b[:lo:lo], append([]byte(words[r.IntN(len(words))]), b[hi:]...)...)
		}
	}
	return string(b)
}

// attack counts what the checker says about false answers and mutated lines.
type attack struct{ falsified, mutants, accepted int }

// lines checks falsified and mutated lines of a proof file. It fails if the checker accepts a false
// answer.
func (a *attack) lines(t *testing.T, dir, name string, s *inpoly.Solid, claims []Claim, falsified, mutants int, r *rand.Rand) {
	t.Helper()
	j := newJudge(s)
	file, data, _ := write(t, dir, name, s, claims)
	lines := points(data)
	vocabulary := strings.Fields(strings.Join(lines, " "))
	var tried []string
	var isFalse []bool
	for n := 0; n < falsified; {
		line := strings.Join(falsify(strings.Split(lines[r.IntN(len(lines))], " "), lines, s.Mesh().NumFaces(), r), " ")
		if ok, err := j.isTrue(line); err == nil && !ok {
			tried, isFalse = append(tried, line), append(isFalse, true)
			n++
		} else if r.IntN(1000) == 0 { // a file in which nothing can be false
			n++
		}
	}
	for range mutants {
		line := strings.ReplaceAll(mutate(lines[r.IntN(len(lines))], vocabulary, r), "\n", "x")
		tried, isFalse = append(tried, line), append(isFalse, false)
	}
	path := filepath.Join(dir, "lines")
	save(t, path, []byte(strings.Join(tried, "\n")+"\n"))
	verdicts := python(t, "lines", file, path)
	if len(verdicts) != len(tried) {
		t.Fatalf("%s: %d verdicts for %d lines", name, len(verdicts), len(tried))
	}
	for i, v := range verdicts {
		if isFalse[i] {
			a.falsified++
		} else {
			a.mutants++
		}
		if !strings.HasPrefix(v, "accepted") {
			continue
		}
		a.accepted++
		if ok, err := j.isTrue(tried[i]); err != nil || !ok {
			t.Errorf("%s: the checker accepts a false answer: %s (%v)", name, tried[i], err)
		}
	}
}

// The checker accepts no false answer about the meshes of the catalog and of the corpus, and every
// mutated line that it accepts is true.
func TestFalseRefused(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(21, 2))
	var a attack
	falsified, mutants := 10, 10
	if testcorpus.Full() {
		falsified, mutants = 600, 500
	}
	for i, c := range testmesh.Catalog() {
		if !testcorpus.Full() && i%10 != 1 {
			continue
		}
		for rule := inpoly.NonZero; rule <= inpoly.EvenOdd; rule++ {
			s, err := inpoly.New(context.Background(), testmesh.Mesh(c.Soup), inpoly.Options{Rule: rule, Orient: inpoly.OrientNever, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if s.Mesh().NumFaces() == 0 {
				continue
			}
			pts := testcorpus.Probes(s.Mesh(), 10, 4, r)
			for _, p := range c.Probes {
				pts = append(pts, p.Point)
			}
			a.lines(t, dir, fmt.Sprintf("%s %v", c.Name, rule), s, claimsOf(t, s, pts, true), falsified, mutants, r)
		}
	}
	t.Logf("catalog: %+v", a)
}

func TestFalseRefusedCorpus(t *testing.T) {
	folder, closed, open := corpusMeshes(t)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(21, 3))
	var a attack
	falsified, mutants := 60, 60
	if testcorpus.Full() {
		falsified, mutants = 2500, 2000
	}
	for _, path := range append(closed, open...) {
		s, err := inpoly.Open(context.Background(), filepath.Join(folder, path), inpoly.Options{Workers: 1})
		if err != nil {
			continue // some files of the corpus are to be refused
		}
		n, m := falsified, mutants
		if b := len(s.Mesh().Boundary()); b > 50 {
			n, m = n/10, m/10
		}
		a.lines(t, dir, path, s, claimsOf(t, s, testcorpus.Probes(s.Mesh(), 100, 20, r), true), n, m, r)
	}
	t.Logf("corpus: %+v", a)
}

// Whole files are mutated too. A mutated mesh does not have its hash, so only the tree, the scale and
// names can change in an accepted file.
func TestMutatedFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 4))
	mutants, accepted := 400, 0
	if testcorpus.Full() {
		mutants = 30_000
	}
	dir := t.TempDir()
	catalog := testmesh.Catalog()
	var blob bytes.Buffer
	var files []string
	var origins []string
	var judges []*judge
	for n := 0; n < mutants; {
		c := catalog[r.IntN(len(catalog))]
		if len(c.Soup.Faces) == 0 || len(c.Soup.Faces) > 100 {
			continue
		}
		s, err := inpoly.New(context.Background(), testmesh.Mesh(c.Soup), inpoly.Options{Rule: inpoly.Rule(r.IntN(4)), Orient: inpoly.OrientNever, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, data, _ := write(t, dir, "file", s, claimsOf(t, s, testcorpus.Probes(s.Mesh(), 3, 1, r), true))
		words := strings.Fields(string(data))
		j := newJudge(s)
		for range 20 {
			text := mutate(string(data), words, r)
			fmt.Fprintf(&blob, "%d\n%s", len(text), text)
			files, origins, judges = append(files, text), append(origins, string(data)), append(judges, j)
			n++
		}
	}
	path := filepath.Join(dir, "blob")
	save(t, path, blob.Bytes())
	for i, v := range python(t, "files", path) {
		if v != "accepted" {
			continue
		}
		accepted++
		head := func(text, key string) string {
			_, text, _ = strings.Cut(text, "\n"+key+" ")
			text, _, _ = strings.Cut(text, "\n")
			return text
		}
		if head(files[i], "rule") != head(origins[i], "rule") || head(files[i], "mesh") != head(origins[i], "mesh") {
			t.Errorf("the checker accepts another mesh or another rule:\n%s\n%s", origins[i], files[i])
		}
		for _, line := range points([]byte(files[i])) {
			if ok, err := judges[i].isTrue(line); err != nil || !ok {
				t.Errorf("the checker accepts a false answer: %s (%v)", line, err)
			}
		}
	}
	t.Logf("%d of %d mutated files accepted", accepted, len(files))
}
