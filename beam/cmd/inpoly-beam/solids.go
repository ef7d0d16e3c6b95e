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

// built keeps the questions of this process by the keys of their runs: the index is built
// once a process, not once a bundle.
var built = struct {
	sync.Mutex
	questions map[string]*asked
}{questions: map[string]*asked{}}

// asked is a question that is built, or being built.
type asked struct {
	once sync.Once
	q    *answer.Query
	err  error
}

// question returns the question of a run; fresh is true for the first that asks for it. An
// error is not kept.
func (t *task) question(ctx context.Context) (q *answer.Query, fresh bool, err error) {
	built.Lock()
	a := built.questions[t.Key]
	if a == nil {
		a = &asked{}
		built.questions[t.Key] = a
	}
	built.Unlock()
	a.once.Do(func() {
		a.q, a.err = t.build(ctx)
		fresh = true
	})
	built.Lock()
	defer built.Unlock()
	if a.err != nil && built.questions[t.Key] == a {
		delete(built.questions, t.Key)
	}
	return a.q, fresh, a.err
}

// remember has a question that was built before the key of its run was known.
func (t *task) remember(q *answer.Query) {
	a := &asked{q: q}
	a.once.Do(func() {})
	built.Lock()
	defer built.Unlock()
	built.questions[t.Key] = a
}

// build opens the meshes and builds the index.
func (t *task) build(ctx context.Context) (*answer.Query, error) {
	if own := version(); t.Version != own {
		return nil, fmt.Errorf("the run is of inpoly-beam %s, and this worker of %s: want the same program for both", t.Version, own)
	}
	opt, err := t.Flags.Options()
	if err != nil {
		return nil, err
	}
	opt.ExpectedPoints = t.Expected
	paths, done, err := nearby(ctx, t.Mesh)
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

// nearby returns local files for paths; done removes copies.
func nearby(ctx context.Context, paths []string) (local []string, done func(), err error) {
	var dirs []string
	done = func() {
		for _, d := range dirs {
			os.RemoveAll(d)
		}
	}
	for _, p := range paths {
		if remote(p) {
			// A folder each: names may be the same, and tell solids apart.
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
			return nil, nil, named(p, err)
		}
		local = append(local, p)
	}
	return local, done, nil
}
