package disk

import (
	"errors"
	"os"
)

// Temporary is a temporary file, which disappears when it is closed.
type Temporary struct {
	*File
	left string // name that Close must remove, or ""
}

// CreateTemporary creates a file in the folder for temporary files. Only the owner can open the file.
//
// Some systems can remove an open file, which then disappears even if the process is killed. On other
// systems, Close removes it.
func CreateTemporary() (*Temporary, error) {
	f, err := open(os.TempDir(), func() (*os.File, error) { return os.CreateTemp("", "inpoly-*.tmp") })
	if err != nil {
		return nil, err
	}
	t := &Temporary{File: f}
	if Remove(f.Name()) != nil {
		t.left = f.Name()
	}
	return t, nil
}

// Close closes the file and removes it. Later calls return an error.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if t.left != "" {
		err = errors.Join(err, Remove(t.left))
		t.left = ""
	}
	return err
}
