package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenOwn opens an existing file that an earlier run of the same user has created at path. flag is
// os.O_RDONLY or os.O_WRONLY. Another user can have planted a link at path, to make this process
// read or change the target of the link. So OpenOwn fails if path is not a regular file, or if the
// file has a second name (a hard link). OpenOwn also fails if the file belongs to another user and
// the folder is writable for other users. Systems other than Unix only check for a regular file.
func OpenOwn(path string, flag int) (*File, error) {
	named, err := Lstat(path)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file: remove it to start over", path)
	}
	f, err := OpenFile(path, flag|noFollow, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && !os.SameFile(named, fi) {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // the file has just been replaced
	}
	if err == nil {
		err = CheckOwn(path, fi)
	}
	if err == nil && links(fi) > 1 {
		err = fmt.Errorf("%s: is a hard link to another file: remove it to start over", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckOwn returns an error if the file or folder at path, which fi describes, belongs to another
// user and its parent folder is writable for other users. On systems other than Unix, it returns
// nil.
func CheckOwn(path string, fi fs.FileInfo) error {
	user := os.Geteuid()
	if uid, _, known := owner(fi); !known || uid == user {
		return nil
	}
	parent, err := Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	if uid, _, _ := owner(parent); uid != user || parent.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s: belongs to another user: remove it to start over", path)
	}
	return nil
}

// CopyOwner gives the file the owner, the group and the permissions of old. If the system does not
// permit this owner, CopyOwner keeps only the group. If the system permits neither, group and
// others get the permissions that both have in old. CopyOwner does not copy the bits setuid and
// setgid, access control lists and extended attributes. On systems other than Unix, it copies only
// the permissions.
func (f *File) CopyOwner(old fs.FileInfo) error {
	perm := old.Mode().Perm()
	if uid, gid, known := owner(old); known {
		fi, err := f.Stat()
		if err != nil {
			return err
		}
		if newUID, newGID, _ := owner(fi); newUID != uid || newGID != gid {
			if err = f.chown(uid, gid); isRefused(err) {
				err = f.chown(-1, gid)
			}
			if isRefused(err) {
				both := perm & (perm >> 3) & 0o007
				perm, err = perm&0o700|both<<3|both, nil
			}
			if err != nil {
				return err
			}
		}
	}
	return do("chmod", f.path, func() error { return f.f.Chmod(perm) })
}

func (f *File) chown(uid, gid int) error {
	return do("chown", f.path, func() error { return f.f.Chown(uid, gid) })
}

// isRefused reports whether the system does not permit a change of the owner. The error EINVAL
// means that the user namespace has no such owner.
func isRefused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}
