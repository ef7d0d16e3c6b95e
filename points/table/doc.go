// Package table has the types that point formats share: blocks of rows, answer columns, the
// interface of an input format (Source) and the interface of an output format (Sink). Programs that
// use package points need Block and Column. The other types are for authors of formats.
//
// A point cloud is a table: each row is a point, and three of its fields are the coordinates. A
// Source divides its input into Blocks of whole rows and parses their points. The function
// Job.Answer of package points computes the answers. A Sink formats the rows with their answers and
// writes them in order. One goroutine fills blocks and one goroutine writes them. Several
// goroutines parse and format different blocks at the same time.
//
// Source.Passthrough returns a Sink of the same format, which copies all fields bit for bit. A Sink
// of another format reads the fields with Source.Values, column by column:
//
//	for i, f := range src.Fields() {
//		if err := src.Values(b, i, &v); err != nil {
//			return err
//		}
//		fmt.Println(f.Name, f.Type, v.Floats, v.Ints)
//	}
package table
