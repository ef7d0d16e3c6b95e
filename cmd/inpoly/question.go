package main

import (
	"context"
	"errors"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/ask"
	"github.com/inpoly/inpoly/loaders"
)

// question is what is asked for each point, with a sample of the answers.
type question struct {
	*ask.Question
	sample   *ask.Sample // nil if none is wanted
	verified ask.Verified
}

// newQuestion makes the question that the flags ask.
func newQuestion(s *ask.Solids, f *flags) *question {
	return &question{Question: ask.NewQuestion(s, &f.Flags), sample: ask.NewSample(&f.Flags)}
}

// openSolids opens the meshes of paths, one of which may be standard input; see ask.Open.
func (a *app) openSolids(ctx context.Context, paths []string, bodies bool, opt inpoly.Options) (*ask.Solids, error) {
	var s *ask.Solids
	var err error
	switch {
	case paths[0] != "-" || len(paths) > 1:
		s, err = ask.Open(ctx, paths, bodies, opt)
	case bodies:
		return nil, usageError{errors.New("--body wants the mesh in a file, not on standard input")}
	default:
		s, err = ask.Read(ctx, stdinName, a.in, opt)
	}
	return s, hintOrder(err, paths[0])
}

// hintOrder adds a hint to the error of opening a mesh if path looks like points.
func hintOrder(err error, path string) error {
	if errors.Is(err, loaders.ErrUnknownFormat) && hasSuffix(path, pointSuffixes) {
		return hinted{err, "the order is: inpoly mesh points"}
	}
	return err
}
