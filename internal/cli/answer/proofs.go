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
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/proof"
)

// maxProof is the largest number of points of a proof. It limits the memory, about 100 bytes for each
// point.
const maxProof = 10_000_000

// minPrune is the number of answers from which a list of rows removes others (tuning).
const minPrune = 1 << 16

// Proofs collects the answers that a proof file contains: all answers, a random sample of them, or the
// answers of listed rows. It is safe for concurrent use.
type Proofs struct {
	size int        // size of the sample, or 0
	rows [][2]int64 // listed rows, from 1, as closed ranges in ascending order, apart; nil for all rows

	mu     sync.Mutex
	blocks [][2]int64 // number of the first row and number of rows of each block; see table.Block.First
	claims []keyedClaim
	next   int // number of claims at which add removes those that are not listed
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
	apart, listed := p.rows[:1], int64(0)
	for _, r := range p.rows[1:] {
		if last := &apart[len(apart)-1]; r[0] <= last[1] {
			last[1] = max(last[1], r[1])
		} else {
			apart = append(apart, r)
		}
	}
	p.rows = apart
	for _, r := range p.rows {
		if listed += r[1] - r[0] + 1; listed > maxProof || listed < 0 {
			return nil, term.Usagef("--proof-points: the list has more than %s", plural.Count(maxProof, "row"))
		}
	}
	return p, nil
}

// CheckRows returns an error if a proof of points with the given number of rows is not possible. The
// number is −1 if it is not known yet.
func (p *Proofs) CheckRows(rows int64) error {
	switch {
	case rows < 0 || p.size > 0:
		return nil
	case p.rows == nil && rows > maxProof:
		return tooMany(rows)
	case p.rows != nil && p.rows[len(p.rows)-1][1] > rows:
		return noRow(p.rows[len(p.rows)-1][1], rows)
	}
	return nil
}

func tooMany(rows int64) error {
	return term.WithHint(term.Usagef("--proof: found %s or more, a proof can have %s", plural.Count(rows, "point"), plural.Count(maxProof, "point")),
		"--proof-points 100000 proves a random sample")
}

func noRow(row, rows int64) error {
	return term.Usagef("--proof-points: row %d does not exist: the points have %s", row, plural.Count(rows, "row"))
}

// add adds the answers of a block. dst.Winding, dst.Distance and dst.Nearest can be nil.
func (p *Proofs) add(b *table.Block, dst inpoly.Answers) error {
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
	if p.rows != nil && len(p.claims) >= max(p.next, minPrune) {
		p.pruneUnlisted()
		p.next = 2 * len(p.claims)
	}
	if p.rows == nil && len(p.claims) > maxProof {
		return tooMany(int64(len(p.claims)))
	}
	return nil
}

// pruneUnlisted removes answers of rows that are certainly not listed. Blocks arrive in any order, so the
// number of the row of an answer lies between two bounds until all earlier blocks have arrived: at least
// the rows that have arrived before it precede it, and at most those of all earlier lines of the file.
func (p *Proofs) pruneUnlisted() {
	before, _ := p.before()
	kept := p.claims[:0]
	for _, c := range p.claims {
		if low, high := before[c.first]+c.Row+1, c.first+c.Row+1; p.listed(low, high) {
			kept = append(kept, c)
		}
	}
	p.claims = kept
}

// listed reports whether the list has a row from low to high.
func (p *Proofs) listed(low, high int64) bool {
	i, _ := slices.BinarySearchFunc(p.rows, low, func(r [2]int64, low int64) int { return cmp.Compare(r[1], low) })
	return i < len(p.rows) && p.rows[i][0] <= high
}

// before returns the number of rows before each block, by the number of its first row, and the number of
// all rows.
func (p *Proofs) before() (before map[int64]int64, rows int64) {
	slices.SortFunc(p.blocks, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	before = make(map[int64]int64, len(p.blocks))
	for _, b := range p.blocks {
		before[b[0]] = rows
		rows += b[1]
	}
	return before, rows
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
	before, rows := p.before()
	claims := make([]proof.Claim, len(p.claims))
	for i, c := range p.claims {
		claims[i] = c.Claim
		claims[i].Row += before[c.first] + 1
	}
	slices.SortFunc(claims, func(a, b proof.Claim) int { return cmp.Compare(a.Row, b.Row) })
	if p.rows == nil {
		return claims, nil
	}
	if err := p.CheckRows(rows); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(claims, func(c proof.Claim) bool { return !p.listed(c.Row, c.Row) }), nil
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
	case f.Distance && f.pose != nil:
		return term.Usagef("--proof, --distance and --pose cannot be combined: distances at a pose have no proof")
	case f.Weld > 0:
		return term.Usagef("--proof and --weld cannot be combined: a proof is about the mesh of the file")
	}
	return nil
}

// WriteProof writes the proof file about the chosen answers. path is the path of the mesh.
func (p *Proofs) WriteProof(ctx context.Context, w io.Writer, s inpoly.Target, path string) (proof.Summary, error) {
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
