package main

import (
	"fmt"
	"log"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/testmesh"
	"github.com/inpoly/inpoly/mesh"
)

// versionPair is a function of two versions of a library, which have the same driver.
type versionPair struct {
	tool, call, mode string
	older, newer     string // programs
	hasOn            bool
	rule             rule
}

var versionPairs = []versionPair{
	{"Embree", "parity of hits", "parity", "embree_sides", "embree4_sides", false, oddAlong(embreeDirection)},
	{"Embree", "parity of hits, packets of 16 rays", "parity-16", "embree_sides", "embree4_sides", false, oddAlong(embreeDirection)},
	{"Embree", "parity of hits along z", "parity-z", "embree_sides", "embree4_sides", false, oddAlong(axes[2])},
	{"Embree", "first hit", "first", "embree_sides", "embree4_sides", false, firstAlong(embreeDirection)},
	{"CGAL", "Side_of_triangle_mesh", "strict", "cgal_sides", "cgal6_sides", true, byParity},
}

// versionsTable compares two versions of libraries: the wrong answers on the meshes of the table broken,
// the points where their answers differ, and the CPU seconds on a clean sphere. Calls of both versions
// alternate. A ratio is the median over the pairs of calls, and the least and the largest ratio show the
// noise. A pair that is not installed is left out.
func (b *bench) versionsTable() error {
	var pairs []versionPair
	var rivals []brokenRival
	var versions []string
	for _, p := range versionPairs {
		var found []string
		for _, program := range []string{p.older, p.newer} {
			if out, err := exec.Command(b.peerPath(program), "--version", p.mode).Output(); err == nil {
				found = append(found, strings.TrimSpace(string(out)))
			}
		}
		if len(found) < 2 {
			log.Printf("versions: %s %s skipped, because %s or %s is missing", p.tool, p.call, p.older, p.newer)
			continue
		}
		pairs, versions = append(pairs, p), append(versions, found...)
		for _, program := range []string{p.older, p.newer} {
			rivals = append(rivals, brokenRival{tool: p.tool, call: p.call, program: program, mode: p.mode, hasOn: p.hasOn, rule: p.rule})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	cases, err := b.brokenCases(rivals)
	if err != nil {
		return err
	}
	differ := make([]int, len(pairs))
	for _, c := range cases {
		for i := range pairs {
			older, newer := c.others[2*i], c.others[2*i+1]
			if older.state != newer.state {
				differ[i] += len(c.pts)
			} else if older.state == "" {
				differ[i] += differences(older.bytes, newer.bytes)
			}
		}
	}
	printWrong(cases, rivals, versions)
	return b.versionSpeeds(pairs, versions, differ)
}

// versionSpeeds prints the ratios of the CPU seconds of both versions.
func (b *bench) versionSpeeds(pairs []versionPair, versions []string, differ []int) error {
	levels, n := 7, 1_000_000
	if b.quick {
		levels, n = 2, 1000
	}
	n = min(n, b.most)
	m, err := mesh.New(b.ctx, single32(testmesh.Soup(testmesh.Sphere(levels))), mesh.Options{})
	if err != nil {
		return err
	}
	ply, f64 := filepath.Join(b.tmp, "versions.ply"), filepath.Join(b.tmp, "versions.f64")
	if err := writePLY(ply, m); err != nil {
		return err
	}
	if err := writePoints(f64, inBox(m, n)); err != nil {
		return err
	}
	header("<tool", "<function", "<older", "<newer", "answers that differ", "pairs of calls", "older: M points / CPU s", "<min–max",
		"newer / older, queries", "<min–max", "newer / older, build", "<min–max")
	for i, p := range pairs {
		var rates, queries, builds []float64
		for range b.calls {
			var seconds [2]cost
			for k, program := range []string{p.older, p.newer} {
				r := brokenRival{program: program, mode: p.mode, hasOn: p.hasOn}
				answer, _, err := b.askBroken(r, ply, f64, n, brokenLimit)
				if err != nil {
					return fmt.Errorf("%s: %w", program, err)
				}
				seconds[k] = cost{answer.Build, answer.Query / float64(answer.Points)}
			}
			rates = append(rates, 1e-6/seconds[0].query)
			queries = append(queries, seconds[1].query/seconds[0].query)
			builds = append(builds, seconds[1].build/seconds[0].build)
		}
		fmt.Printf("| %s | %s | %s | %s | %d | %d | %s | %s | %s |\n", p.tool, p.call, versions[2*i], versions[2*i+1], differ[i], b.calls,
			middle(rates), middle(queries), middle(builds))
	}
	return nil
}

// middle returns two cells: the median, and the least and the largest value.
func middle(x []float64) string {
	x = slices.Sorted(slices.Values(x))
	return fmt.Sprintf("%.3g | %.3g–%.3g", x[len(x)/2], x[0], x[len(x)-1])
}
