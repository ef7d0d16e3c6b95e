package disk

import (
	"cmp"
	"errors"
	"os"
)

// Temporary is a temporary file, which disappears when it is closed.
type Temporary struct {
	*File
	left string // name that Close must remove, or ""
}

// CreateTemporary creates a file in the folder dir, or in the folder for temporary files if dir is "".
// Only the owner can open the file.
//
// Some systems can remove an open file, which then disappears even if the process is killed. On other
// systems, Close removes it.
func CreateTemporary(dir string) (*Temporary, error) {
	dir = cmp.Or(dir, os.TempDir())
	f, err := open(dir, func() (*os.File, error) { return os.CreateTemp(dir, ".inpoly-*.tmp") })
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
