// Package points streams point clouds: it reads rows with points, answers each point, and writes
// the same rows with answer columns. Most programs need Open and Job.Run. Rows are processed in
// parallel and in constant memory. For Parquet this is the memory of a few pages.
//
// Inputs are text (CSV, TSV, semicolons, blanks; see Layout), NumPy arrays, PLY, LAS and Parquet.
// The format is recognized by content, not by name. Text, arrays in C order, PLY and LAS can be
// streams, and can be compressed by gzip or zstd (.csv.gz, .las.gz). Parquet and arrays in Fortran
// order must be plain files.
//
// By default the output has the format of the input: all bytes of a row are copied, and the answers
// follow. Job.Format selects another format (CSV, npy, PLY, LAS, Parquet, JSON Lines), which
// receives the fields by name and type. Package table has the types and the interfaces of formats.
//
// In text, blank lines, comments and line ends are copied, too. Removing the appended columns
// restores the input. Lines that begin with #, % or // are comments. A Job counts comments that
// look like rows, and rows that are wider or narrower than the first row.
//
// A missing coordinate (an empty cell, nan, NA, N/A, null, none, -) makes a NaN point, whose answer
// should be side.Unknown. Any other coordinate that is not a number is a table.RowError. When a
// text is converted to a format with types, a column is numeric if it is numeric in the first rows.
// A later cell of this column is a table.RowError if it is not a number or if a float64 would
// change its value. Options.Text makes a column text.
//
// A Reader divides the input into blocks of tens of thousands of rows. One goroutine finds the row
// ends; the workers of a Job parse, answer and format blocks; another goroutine writes the blocks
// in order. A File appears completely or not at all. With CreateResumable the next run can continue
// an interrupted run.
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
