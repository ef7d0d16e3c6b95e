// Package points processes point clouds as streams. It reads rows with points, computes the answer
// for each point, and writes the same rows with answer columns. Most programs need Open and
// Job.Run. Rows are processed in parallel and in constant memory. For Parquet, the memory is a few
// pages of the file.
//
// Inputs are text (CSV, TSV, semicolons, blanks; see Layout), NumPy arrays (.npy, .npz), PLY, PCD, LAS, LAZ,
// Parquet, GeoJSON and JSON Lines. The content of the file determines the format. The name has no
// effect. All formats except Parquet can be read from a stream, and can be compressed by gzip or zstd
// (.csv.gz, .las.gz). Arrays in Fortran order, .npz files and compressed PCD files are then kept in
// memory, up to 256 MiB. Parquet must be a plain file.
//
// In all formats with named columns, the columns of x, y and z are found by the same names; see
// Layout. Options.Columns selects other columns.
//
// By default the output has the format of the input. All bytes of a row are copied, and the answers
// are appended. Job.Format selects another format: CSV, npy, PLY, LAS, LAZ, Parquet, JSON Lines or PCD. The
// conversion uses the names and types of the fields. Package table has the interfaces of formats.
//
// In text, blank lines, comments and line ends are also copied. If the appended columns are removed, the
// output equals the input. Lines that begin with #, % or // are comments. A Job counts comments that look
// like rows. A Job also counts rows with more or fewer columns than the first row.
//
// A missing coordinate (an empty cell, nan, NA, N/A, null, none, -) becomes NaN. The answer for
// such a point should be side.Unknown. Any other coordinate that is not a number causes a
// table.RowError. If text is converted to a format with types, the first rows determine which
// columns are numeric. In a numeric column, a later cell causes a table.RowError if it is not a
// number or if a float64 would change its value. Columns in Options.Text are never numeric.
//
// A Reader divides the input into blocks of tens of thousands of rows. One goroutine finds the row
// ends. The workers of a Job parse, answer and format blocks. Another goroutine writes the blocks
// in order. A File appears completely or not at all. If a run with CreateResumable is interrupted,
// the next run can continue the File.
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
