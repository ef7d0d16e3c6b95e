package points

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// descriptor is a file that a process has open, by a path such as /dev/fd/1.
type descriptor struct {
	path string
	fd   int // −1 if it is another process's
}

// descriptorFolders are the folders of open files: of this process on BSD, and of that
// process on Linux (proc(5)).
var descriptorFolders = regexp.MustCompile(`^(?:/dev/fd|/proc/([0-9]+)(?:/task/[0-9]+)?/fd)$`)

// descriptorAt reports whether path is a descriptor by itself, not by a link at its end.
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
	// The number is that of the process in the view of /proc, not that of os.Getpid.
	if self, err := os.Readlink("/proc/self"); m[1] != "" && (err != nil || self != m[1]) {
		return descriptor{path, -1}, true
	}
	return descriptor{path, int(fd)}, true
}

// open returns the open file for writing, where the process that has it open writes
// next; at the end of another process's file.
func (d descriptor) open() (*os.File, error) {
	if d.fd < 0 {
		return os.OpenFile(d.path, os.O_WRONLY|os.O_APPEND, 0)
	}
	return duplicate(d)
}
