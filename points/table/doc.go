// Package table has the types that point formats share: blocks of rows, answer columns, and
// the interfaces of a format that is read (Source) and of one that is written (Sink). It
// knows no format. Programs that use package points need Block and Column; the rest is for
// those who write a format.
//
// A point cloud is a table: each row is a point, and three of its fields are the
// coordinates. A Source divides its input into Blocks of whole rows and parses their points.
// A callback answers them. A Sink formats the rows with their answers and writes them, in
// order. One goroutine fills blocks and one writes them; many parse and format at once, each
// a block of its own.
//
// Every Source has a Sink of the same format, which passes all fields through bit for bit
// (Source.Passthrough). Sinks of other formats read the fields as Values, column by column:
//
//	for i, f := range src.Fields() {
//		if err := src.Values(b, i, &v); err != nil {
//			return err
//		}
//		fmt.Println(f.Name, f.Type, v.Floats, v.Ints)
//	}
package table
