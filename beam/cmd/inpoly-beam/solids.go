package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"

	"github.com/inpoly/inpoly/internal/ask"
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
	q    *ask.Question
	err  error
}

// question returns the question of a run; fresh is true for the first that asks for it. An
// error is not kept.
func (t *task) question(ctx context.Context) (q *ask.Question, fresh bool, err error) {
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

// build opens the meshes and builds the index.
func (t *task) build(ctx context.Context) (*ask.Question, error) {
	opt, err := t.Flags.Options()
	if err != nil {
		return nil, usageError{err}
	}
	opt.ExpectedPoints = t.Expected
	for i, m := range t.Mesh {
		if err := unchanged(ctx, m, t.Stamps[i]); err != nil {
			return nil, err
		}
	}
	paths, done, err := nearby(ctx, t.Mesh)
	if err != nil {
		return nil, err
	}
	defer done()
	s, err := ask.Open(ctx, paths, t.Flags.Body != "", opt)
	if err != nil {
		return nil, err
	}
	return ask.NewQuestion(s, &t.Flags), nil
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
			if errors.Is(err, fs.ErrNotExist) {
				err = fs.ErrNotExist
			}
			return nil, nil, named(p, err)
		}
		local = append(local, p)
	}
	return local, done, nil
}
