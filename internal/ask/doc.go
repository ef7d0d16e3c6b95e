// Package ask is what commands that answer for points have in common: the flags that
// decide the answers, the solids, the question that a points.Job asks for each block, and the
// sample of its answers that is verified.
// The command inpoly and the distributed run in beam/ use it, so that both answer the same.
//
//	var f ask.Flags
//	f.Define(set) // flags of the command line
//	opt, err := f.Options()
//	solids, err := ask.Open(ctx, []string{"part.stl"}, f.Body != "", opt)
//	q := ask.NewQuestion(solids, &f)
//	job := points.Job{Columns: q.Columns, Format: f.Format, Answer: q.Answer, Drops: q.Drops()}
package ask
