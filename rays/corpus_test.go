package rays

import (
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/testcorpus"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// All answers for lines through real meshes equal those of the twin. The lines have hits on edges and
// vertices, lie in faces, and end on the surface.
func TestCorpusEqualsTwin(t *testing.T) {
	dir, rows := testcorpus.Rows(t)
	r := rand.New(rand.NewPCG(21, 60))
	meshes, most, lines, faces := 3, 12, 6, 3000
	if testcorpus.Full() {
		meshes, most, lines, faces = 60, len(rows), 24, 200_000
	}
	found, ties, exact, open := 0, 0, 0, 0
	for _, i := range r.Perm(len(rows))[:most] {
		path := rows[i]["path"]
		if n, err := strconv.Atoi(rows[i]["triangles"]); err != nil || n > faces || exact+open == meshes {
			continue
		}
		soup, _, err := loaders.Load(t.Context(), filepath.Join(dir, path), loaders.Options{})
		if err != nil {
			continue // the tests of package loaders check which files can be loaded
		}
		m, err := mesh.New(t.Context(), *soup, mesh.Options{})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if m.NumFaces() == 0 {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(path))
		rng := rand.New(rand.NewPCG(h.Sum64(), 21))
		c := caster(t, m, inpoly.Options{Rule: rules[rng.IntN(len(rules))]})
		rs, segments := randomLines(c.mesh, lines, rng)
		t.Run(path, func(t *testing.T) {
			f, e := checkLines(t, c, rs, rng)
			g, h := checkLines(t, c, segments, rng)
			found, ties = found+f+g, ties+e+h
			checkIntervals(t, c, segments, rng)
		})
		if c.Exact() {
			exact++
		} else {
			open++
		}
	}
	t.Logf("%d meshes with exact intervals, %d others, %d hits, %d events with several hits",
		exact, open, found, ties)
	if exact == 0 || ties == 0 {
		t.Error("the test covers too little")
	}
}
