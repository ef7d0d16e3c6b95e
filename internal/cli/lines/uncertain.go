package lines

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

// Uncertain counts the rows whose results are uncertain because of their numbers. It is safe for concurrent
// use.
type Uncertain struct {
	mu   sync.Mutex
	rows table.Tally
	at   string // place of the first of them
}

// Add adds rows of the block b of in. rows.First is the index of the first of them in the block.
func (u *Uncertain) Add(in *points.Reader, b *table.Block, rows table.Tally) {
	if rows.Count == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if at := b.First + rows.First; u.rows.Count == 0 || at < u.rows.First {
		u.rows.First, u.at = at, cmp.Or(pointio.Place(in.Source(), b, int(rows.First)), "the table")
	}
	u.rows.Count += rows.Count
}

// Count returns the number of rows.
func (u *Uncertain) Count() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rows.Count
}

// Warnings returns a warning about the rows, or nothing if there are none. why says what is wrong with them.
func (u *Uncertain) Warnings(in *points.Reader, why string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.rows.Count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: found %s with %s, the first in %s: the results of these rows are uncertain",
		in.Name(), plural.Count(u.rows.Count, "row"), why, u.at)}
}
