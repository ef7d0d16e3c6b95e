package table

// Texter is a Source that has its cells as texts.
type Texter interface {
	Source
	// Texts is Values for those who write the cells as they stand. A cell that is not of
	// the type of its field is no error: it is NaN in v.Floats, and not Missing; a NaN of
	// the input is Missing.
	Texts(b *Block, field int, v *Values) error
	// Complete fails where the rows of b have cells that belong to no field, as Values
	// and Texts do.
	Complete(b *Block) error
}

// Texts reads a field of the rows of b into v: by src.Texts if src is a Texter, else by
// src.Values.
func Texts(src Source, b *Block, field int, v *Values) error {
	if t, ok := src.(Texter); ok {
		return t.Texts(b, field, v)
	}
	return src.Values(b, field, v)
}

// AllTexts is Texts for all fields of src, into memory that b keeps in b.Sink.
func AllTexts(src Source, b *Block) ([]Values, error) {
	n := len(src.Fields())
	vals, _ := b.Sink.([]Values)
	if len(vals) != n {
		vals = make([]Values, n)
		b.Sink = vals
	}
	for i := range vals {
		if err := Texts(src, b, i, &vals[i]); err != nil {
			return nil, err
		}
	}
	return vals, nil
}

// Complete fails where the rows of b have cells that belong to no field, so that a Sink
// which asks for no Values would lose them.
func Complete(src Source, b *Block) error {
	if t, ok := src.(Texter); ok {
		return t.Complete(b)
	}
	return nil
}
