// Package points streams point clouds: rows of points in, the same rows with
// answer columns out, in constant memory (of Parquet, that of its pages) and in parallel.
//
// It reads text (CSV, TSV, semicolons, blanks; see Layout for what is detected), NumPy
// arrays, PLY, LAS and Parquet. Text, arrays in C order, PLY and LAS may also be
// compressed by gzip or zstd (.csv.gz, .las.gz), and come from streams; Parquet and arrays
// in Fortran order must be plain files. The content tells the format, not the name. By
// default the output has the format of the input, and all that is in it passes through bit
// for bit, the answers behind it; Job.Format asks for another one (CSV, npy, PLY, LAS,
// Parquet, JSON Lines), which gets the fields by name and type. Each format has a package
// of its own below this one, on the interfaces of package table.
//
// In text, blank lines and comments stay where they are, and every row keeps its own
// line ending, so that removing the appended columns gives the input again. A point with
// a missing coordinate (nothing, nan, NA, N/A, null, none, -) is a NaN point and should
// be answered side.Unknown; anything else that is no number is a RowError with the file
// and the line. Formats with types get a column as numbers if its first rows are; a later
// cell that is none, or that a float64 does not keep, is a RowError too, unless
// Options.Text has the column. Lines that begin with #, % or // are comments; those that
// look like rows are counted, and so are rows of another width than the first.
//
// A Reader hands out Blocks of some ten thousand rows. One goroutine cuts the
// input at row ends; the workers of a Job parse, answer and format; blocks are
// written in order. A File is there whole or not at all; a Resumable is too, and an
// interrupted run can go on with it.
//
//	r, err := points.Open("points.csv", points.Options{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	job := points.Job{
//		Columns: []points.Column{{Name: "inside", Kind: points.Inside}},
//		Answer: func(ctx context.Context, b *points.Block) error {
//			return oracle.SidesTo(ctx, b.Sides, b.Points)
//		},
//	}
//	sum, err := job.Run(ctx, r, os.Stdout)
package points
