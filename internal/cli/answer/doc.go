// Package answer holds the shared code of the commands that answer for points: the flags, the
// solids, the query that a points.Job runs for each block, and the verified sample of its
// answers. The commands of inpoly and the distributed run in beam/ use it, so they give the same
// answers.
//
//	var f answer.Flags
//	f.DefineAll(set) // flags of the command line
//	opt, err := f.Options()
//	solids, err := answer.Open(ctx, []string{"part.stl"}, f.Body != "", opt)
//	q := answer.NewQuery(solids, &f)
//	job := points.Job{Columns: q.Columns, Format: f.Format, Answer: q.Answer, Drops: q.Drops()}
package answer
