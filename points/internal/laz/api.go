package laz

// Interface draft (bodies follow in the next commits).
//
//	type Chunk struct{ Offset, Bytes, Points int64 }
//	func ReadChunks(r io.ReaderAt, v *VLR, pointData, points, size int64) ([]Chunk, error)
//	func FindChunks(r io.ReaderAt, v *VLR, pointData, points, size int64) ([]Chunk, error)
//	func AppendTable(dst []byte, v *VLR, chunks []Chunk) ([]byte, error)
//
//	func NewDecoder(v *VLR) (*Decoder, error)
//	func (d *Decoder) Select(l Layers)
//	func (d *Decoder) Decode(dst, src []byte, n int) error
//
//	func NewStream(r io.Reader, v *VLR, points int64) (*Stream, error)   // compressors 1 and 2
//	func (s *Stream) Next(dst []byte) (rows int, err error)
//
//	func NewEncoder(v *VLR) (*Encoder, error)
//	func (e *Encoder) Append(dst, rows []byte) ([]byte, error)
