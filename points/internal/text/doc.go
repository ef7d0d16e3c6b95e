// Package text reads point clouds as delimited text: CSV, TSV, semicolons, bars and blanks. It
// writes a text byte for byte with the answers appended (Source.Passthrough) and converts other
// formats to CSV (Convert). The package comment of points describes the format, and points.Layout
// describes how columns are detected.
package text
