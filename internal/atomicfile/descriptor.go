package atomicfile

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// descriptor is an open file of a process that is named by a path such as /dev/fd/1.
type descriptor struct {
	path string
	fd   int // −1 if it belongs to another process
}

// descriptorFolders matches the folders that list open files: those of this process on
// BSD, and those of a process on Linux (proc(5)).
var descriptorFolders = regexp.MustCompile(`^(?:/dev/fd|/proc/([0-9]+)(?:/task/[0-9]+)?/fd)$`)

// descriptorAt reports whether path names a descriptor. It does not follow a symbolic link
// at the end of path.
func descriptorAt(path string) (descriptor, bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return descriptor{}, false
	}
	fd, err := strconv.ParseUint(filepath.Base(path), 10, 31)
	if err != nil {
		return descriptor{}, false
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return descriptor{}, false
	}
	m := descriptorFolders.FindStringSubmatch(dir)
	if m == nil {
		return descriptor{}, false
	}
	// In a PID namespace /proc numbers this process differently than os.Getpid does.
	if self, err := os.Readlink("/proc/self"); m[1] != "" && (err != nil || self != m[1]) {
		return descriptor{path, -1}, true
	}
	return descriptor{path, int(fd)}, true
}

// open returns the open file for writing: at the current offset of a file of this
// process, at the end of a file of another process.
func (d descriptor) open() (*os.File, error) {
	if d.fd < 0 {
		return os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	return duplicate(d)
}
