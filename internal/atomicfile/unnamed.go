package atomicfile

import (
	"path/filepath"

	"github.com/inpoly/inpoly/internal/disk"
)

// openUnnamed creates an unnamed file in the folder of path. The file disappears with the process
// unless Link gives it a name. openUnnamed first tests both steps with another file, because some
// file systems have no unnamed files and Link needs /proc.
func openUnnamed(path string) (*disk.File, error) {
	dir := filepath.Dir(path)
	trial, err := disk.OpenUnnamed(dir, path)
	if err != nil {
		return nil, err
	}
	defer trial.Close()
	temp, err := tryNames(path, trial.Link)
	if err == nil {
		err = removeTemp(temp)
	}
	if err != nil {
		return nil, err
	}
	return disk.OpenUnnamed(dir, path)
}
