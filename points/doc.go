// Package points streams point clouds: it reads rows with points, answers each point, and
// writes the same rows with answer columns. Most programs need Open and Job.Run. Rows are
// processed in parallel and in constant memory (for Parquet, the memory of a few pages).
//
// Inputs are text (CSV, TSV, semicolons, blanks; see Layout), NumPy arrays, PLY, LAS and
// Parquet. The format is recognized by content, not by name. Text, arrays in C order, PLY and LAS
// may be compressed by gzip or zstd (.csv.gz, .las.gz) and come from streams. Parquet and
// arrays in Fortran order must be plain files.
//
// By default the output has the format of the input: everything passes through bit for bit,
// and the answers follow each row. Job.Format selects another format (CSV, npy, PLY, LAS,
// Parquet, JSON Lines), which receives the fields by name and type. Package table has the
// types and the interfaces of formats.
//
// In text, blank lines and comments stay in place, and every row keeps its line end.
// Removing the appended columns restores the input. Lines that begin with #, % or // are
// comments. Comments that look like rows, and rows that are wider or narrower than the
// first, are counted.
//
// A point with a missing coordinate (an empty cell, nan, NA, N/A, null, none, -) is a NaN
// point, and its answer should be side.Unknown. Any other coordinate that is not a number
// is a table.RowError. For formats with types, a column of a text is numeric if its first
// rows are. A later cell that is not a number, or that a float64 would change, is a
// table.RowError too, unless Options.Text names the column.
//
// A Reader divides the input into blocks of tens of thousands of rows. One goroutine finds the
// row ends; the workers of a Job parse, answer and format; another one writes the blocks in
// order. A File appears completely or not at all. If it comes from CreateResumable, the next
// run can continue an interrupted one.
//
//	r, err := points.Open("points.csv", points.Options{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	job := points.Job{
//		Columns: []table.Column{{Name: "inside", Kind: table.Inside}},
//		Answer: func(ctx context.Context, b *table.Block) error {
//			return solid.SidesTo(ctx, b.Sides, b.Points)
//		},
//	}
//	sum, err := job.Run(ctx, r, os.Stdout)
package points
