package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/inpoly/inpoly/internal/cli/answer"
)

// built maps the keys of runs to queries, of type *builtQuery. Each process builds an index once,
// not once for each bundle.
var built sync.Map

// builtQuery is a query that is built or being built.
type builtQuery struct {
	once sync.Once
	q    *answer.Query
	err  error
}

// query returns the query of a run. fresh is true for the call that builds the query. After an
// error the next call tries again.
func (t *task) query(ctx context.Context) (q *answer.Query, fresh bool, err error) {
	v, _ := built.LoadOrStore(t.Key, &builtQuery{})
	a := v.(*builtQuery)
	a.once.Do(func() {
		a.q, a.err = t.build(ctx)
		fresh = true
	})
	if a.err != nil {
		built.CompareAndDelete(t.Key, v)
	}
	return a.q, fresh, a.err
}

// remember stores a query that was built before the key of its run was known.
func (t *task) remember(q *answer.Query) {
	a := &builtQuery{q: q}
	a.once.Do(func() {})
	built.Store(t.Key, a)
}

// build opens the meshes and builds the index.
func (t *task) build(ctx context.Context) (*answer.Query, error) {
	if own := version(); t.Version != own {
		return nil, fmt.Errorf("the run was started by inpoly-beam %s, but this worker is %s: both must be the same program", t.Version, own)
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
		return nil, fmt.Errorf("%s: the mesh has changed since the run began", strings.Join(t.Mesh, ", "))
	}
	return answer.NewQuery(s, &t.Flags), nil
}

// checksumOf returns the checksum of the loaded solids.
func checksumOf(s *answer.Solids) string {
	h := sha256.New()
	s.Hash(h)
	return hex.EncodeToString(h.Sum(nil))
}

// localCopies returns local paths for paths. It copies remote files; done removes the copies.
func localCopies(ctx context.Context, paths []string) (local []string, done func(), err error) {
	var dirs []string
	done = func() {
		for _, d := range dirs {
			os.RemoveAll(d)
		}
	}
	for _, p := range paths {
		if remote(p) {
			// The file names, which name the solids, can be equal, so each file gets its own
			// folder.
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
			return nil, nil, withName(p, withoutPath(err))
		}
		local = append(local, p)
	}
	return local, done, nil
}
