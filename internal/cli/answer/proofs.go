package answer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/proof"
)

// maxProof is the largest number of points that Proofs can hold. It limits the memory, about 100 bytes
// for each point.
const maxProof = 10_000_000

// Proofs collects the answers that a proof file contains: all answers, a random sample of them, or the
// answers of listed rows. It is safe for concurrent use.
type Proofs struct {
	size int        // size of the sample, or 0
	rows [][2]int64 // listed rows, from 1, as closed ranges in ascending order; nil for all rows

	mu     sync.Mutex
	blocks [][2]int64 // number of the first row and number of rows of each block; see table.Block.First
	claims []keyedClaim
}

// keyedClaim is an answer. The field Row of the claim is the index in the block until Claims replaces it.
type keyedClaim struct {
	key, first int64
	proof.Claim
}

// NewProofs parses the value of --proof-points: all, the size of a random sample, or a list of rows.
func NewProofs(value string) (*Proofs, error) {
	bad := func() error {
		return term.WithHint(term.Usagef("--proof-points %q: expected all, a number of random points, or a list of rows", value),
			"--proof-points rows:5,17,100-120 selects rows, counted from 1")
	}
	list, isList := strings.CutPrefix(value, "rows:")
	if !isList {
		if value == "all" {
			return &Proofs{}, nil
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > maxProof/2 {
			return nil, bad()
		}
		return &Proofs{size: n}, nil
	}
	p := &Proofs{}
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		lo, errLo := strconv.ParseInt(first, 10, 64)
		hi, errHi := strconv.ParseInt(last, 10, 64)
		if errLo != nil || errHi != nil || lo < 1 || hi < lo {
			return nil, bad()
		}
		p.rows = append(p.rows, [2]int64{lo, hi})
	}
	slices.SortFunc(p.rows, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	return p, nil
}

// add adds the answers of a block. dst.Winding, dst.Distance and dst.Nearest can be nil.
func (p *Proofs) add(b *table.Block, dst assembly.Answers) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocks = append(p.blocks, [2]int64{b.First, int64(len(b.Points))})
	for i, at := range b.Points {
		c := keyedClaim{0, b.First, proof.Claim{
			Row: int64(i), Point: at, Side: b.Sides[i], Winding: math.NaN(), Bound: math.NaN(), Distance: math.NaN(), Face: -1,
		}}
		if dst.Winding != nil {
			c.Winding, c.Bound = dst.Winding[i], dst.Bound[i]
		}
		switch {
		case dst.Distance != nil:
			c.Distance, c.Face = dst.Distance[i], dst.Face[i]
		case dst.Nearest != nil:
			c.Distance, c.Face = dst.Nearest[i].Distance, dst.Nearest[i].Face
		}
		if p.size > 0 {
			c.key = int64(hash(hash(uint64(b.First))+uint64(i)) >> 1)
		}
		p.claims = append(p.claims, c)
		if p.size > 0 && len(p.claims) >= 2*p.size {
			p.prune()
		}
	}
	if len(p.claims) > maxProof {
		return term.WithHint(term.Usagef("--proof: the points are more than %s", plural.Count(maxProof, "point")), "--proof-points 100000 proves a random sample")
	}
	return nil
}

// prune keeps the answers with the smallest keys.
func (p *Proofs) prune() {
	slices.SortFunc(p.claims, func(a, b keyedClaim) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.first, b.first), cmp.Compare(a.Row, b.Row))
	})
	p.claims = p.claims[:min(len(p.claims), p.size)]
}

// Claims returns the chosen answers with the numbers of their rows, from 1, in the order of the rows. It
// returns an error if a listed row does not exist.
func (p *Proofs) Claims() ([]proof.Claim, error) {
	if p.size > 0 {
		p.prune()
	}
	slices.SortFunc(p.blocks, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	before := make(map[int64]int64, len(p.blocks)) // number of rows before a block
	rows := int64(0)
	for _, b := range p.blocks {
		before[b[0]] = rows
		rows += b[1]
	}
	claims := make([]proof.Claim, len(p.claims))
	for i, c := range p.claims {
		claims[i] = c.Claim
		claims[i].Row += before[c.first] + 1
	}
	slices.SortFunc(claims, func(a, b proof.Claim) int { return cmp.Compare(a.Row, b.Row) })
	if p.rows == nil {
		return claims, nil
	}
	var listed []proof.Claim
	done := int64(0) // rows up to this one are in listed, or are not in the list
	for _, r := range p.rows {
		if r[1] > rows {
			return nil, term.Usagef("--proof-points: row %d does not exist: the points have %s", r[1], plural.Count(rows, "row"))
		}
		if first := max(r[0]-1, done); first < r[1] {
			listed = append(listed, claims[first:r[1]]...)
			done = r[1]
		}
	}
	return listed, nil
}

// CheckProof returns an error if --proof is combined with flags for which there is no proof.
func (f *Flags) CheckProof(meshes []string) error {
	switch {
	case len(meshes) > 1 || f.Body != "":
		return term.Usagef("--proof: requires one mesh and no --body: a proof is about one solid")
	case meshes[0] == "-":
		return term.Usagef("--proof: requires a mesh file instead of standard input: the proof has the hash of the file")
	case f.Tolerance > 0:
		return term.Usagef("--proof and --tolerance cannot be combined: a proof is about exact sides")
	}
	return nil
}

// WriteProof writes the proof file about the chosen answers. path is the path of the mesh.
func (p *Proofs) WriteProof(ctx context.Context, w io.Writer, s *inpoly.Solid, path string) (proof.Summary, error) {
	claims, err := p.Claims()
	if err != nil {
		return proof.Summary{}, err
	}
	source := proof.Source{Name: path}
	file, err := disk.Open(path)
	if err != nil {
		return proof.Summary{}, err
	}
	defer file.Close()
	h := sha256.New()
	if source.Bytes, err = io.Copy(h, file); err != nil {
		return proof.Summary{}, fmt.Errorf("%s: %w", path, err)
	}
	h.Sum(source.SHA256[:0])
	return proof.Write(ctx, w, s, source, claims)
}
