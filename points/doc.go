// Package points streams point clouds: rows of points in, the same rows with
// answer columns out, in constant memory and in parallel.
//
// It reads text (CSV, TSV, semicolons, blanks; see Layout for what is detected)
// and NumPy arrays (.npy, N×M floats with M ≥ 3), each plain or compressed by
// gzip or zstd. All input columns pass through byte for byte; the answers are
// appended to each row. Blank lines and comments stay where they are, and every
// row keeps its own line ending, so that removing the appended columns gives the
// input again.
//
// A Reader hands out Blocks of some ten thousand rows. One goroutine cuts the
// input at row ends; the workers of a Job parse, answer and format; blocks are
// written in order. A point with a missing coordinate (nothing, nan, NA, N/A,
// null, none, -) is a NaN point and should be answered side.Unknown; anything else
// that is no number is a RowError with the file and the line. Lines that begin
// with #, % or // are comments; those that look like rows are counted, and so are
// rows of another width than the first.
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
