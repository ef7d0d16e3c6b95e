package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/inpoly/inpoly/internal/cli/answer"
)

// built holds the queries of this process by the keys of their runs. The index is built once for
// each process, not for each bundle.
var built = struct {
	sync.Mutex
	queries map[string]*builtQuery
}{queries: map[string]*builtQuery{}}

// builtQuery is a query that is built or being built.
type builtQuery struct {
	once sync.Once
	q    *answer.Query
	err  error
}

// query returns the query of a run. fresh is true for the call that built it. An error is not
// kept.
func (t *task) query(ctx context.Context) (q *answer.Query, fresh bool, err error) {
	built.Lock()
	a := built.queries[t.Key]
	if a == nil {
		a = &builtQuery{}
		built.queries[t.Key] = a
	}
	built.Unlock()
	a.once.Do(func() {
		a.q, a.err = t.build(ctx)
		fresh = true
	})
	built.Lock()
	defer built.Unlock()
	if a.err != nil && built.queries[t.Key] == a {
		delete(built.queries, t.Key)
	}
	return a.q, fresh, a.err
}

// remember keeps a query that was built before the key of its run was known.
func (t *task) remember(q *answer.Query) {
	a := &builtQuery{q: q}
	a.once.Do(func() {})
	built.Lock()
	defer built.Unlock()
	built.queries[t.Key] = a
}

// build opens the meshes and builds the index.
func (t *task) build(ctx context.Context) (*answer.Query, error) {
	if own := version(); t.Version != own {
		return nil, fmt.Errorf("the run was started by inpoly-beam %s, and this worker is %s: want the same program for both", t.Version, own)
	}
	opt, err := t.Flags.Options()
	if err != nil {
		return nil, err
	}
	opt.ExpectedPoints = t.Expected
	paths, done, err := localCopies(ctx, t.Mesh)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := answer.Open(ctx, paths, t.Flags.Body != "", opt)
	if err != nil {
		return nil, err
	}
	if t.Solids != "" && checksumOf(s) != t.Solids {
		return nil, fmt.Errorf("%s: it has changed since the run began", strings.Join(t.Mesh, ", "))
	}
	return answer.NewQuery(s, &t.Flags), nil
}

// checksumOf returns the checksum of the solids as they were loaded.
func checksumOf(s *answer.Solids) string {
	h := sha256.New()
	s.Hash(h)
	return hex.EncodeToString(h.Sum(nil))
}

// localCopies returns local files for paths and copies remote ones. done removes the copies.
func localCopies(ctx context.Context, paths []string) (local []string, done func(), err error) {
	var dirs []string
	done = func() {
		for _, d := range dirs {
			os.RemoveAll(d)
		}
	}
	for _, p := range paths {
		if remote(p) {
			// Each gets its own folder: file names may be equal, and they name the solids.
			dir, err := os.MkdirTemp("", "inpoly-beam-")
			if err == nil {
				dirs = append(dirs, dir)
				p, err = download(ctx, p, dir)
			}
			if err != nil {
				done()
				return nil, nil, err
			}
		} else if _, err := os.Stat(p); err != nil {
			done()
			var bad *fs.PathError
			if errors.As(err, &bad) {
				err = bad.Err
			}
			return nil, nil, withName(p, err)
		}
		local = append(local, p)
	}
	return local, done, nil
}
