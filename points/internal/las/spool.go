package las

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/disk"
)

// spool is a copy of a stream in a temporary file.
type spool struct {
	*disk.File
	size int64
	name string // of the file, if Close must remove it
}

// newSpool copies the bytes that were read from a stream, and the rest of the stream.
func newSpool(front []byte, rest io.Reader) (*spool, error) {
	f, err := disk.CreateTemp("", "inpoly-*.laz")
	if err != nil {
		return nil, fmt.Errorf("create a temporary file for the compressed points: %w", err)
	}
	s := &spool{File: f}
	// Some systems can remove an open file, which then disappears when the process ends.
	if err := disk.Remove(f.Name()); err != nil {
		s.name = f.Name()
	}
	if s.size, err = io.Copy(f, io.MultiReader(bytes.NewReader(front), rest)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the file and removes it.
func (s *spool) Close() error {
	err := s.File.Close()
	if s.name != "" {
		err = errors.Join(err, disk.Remove(s.name))
	}
	return err
}
