//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/inpoly/inpoly/internal/disk"
)

// interrupted leaves the unfinished output out in a new folder. The folder also has a file of
// another user, victim.
func interrupted(t *testing.T) (out, victim string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	out, victim = filepath.Join(dir, "out"), filepath.Join(dir, "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := CreateResumable(out, "key")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write([]byte(content[:8])); err != nil {
		t.Fatal(err)
	}
	if err := r.Checkpoint(8); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	r.Abort()
	return out, victim
}

// Another user can plant a link, a pipe or a file beside the output. A resumed run must not change
// or read the target.
func TestPlanted(t *testing.T) {
	replace := func(suffix string, plant func(victim, path string) error) func(out, victim string) error {
		return func(out, victim string) error {
			if err := os.Remove(out + suffix); err != nil {
				return err
			}
			return plant(victim, out+suffix)
		}
	}
	pipe := func(_, path string) error { return syscall.Mkfifo(path, 0o666) }
	folder := func(_, path string) error { return os.Mkdir(path, 0o777) }
	foreign := func(path string) error {
		if os.Geteuid() != 0 {
			return fs.ErrPermission // only root can create a file of another user
		}
		return os.Chown(path, 65534, 65534)
	}
	for name, c := range map[string]struct {
		plant func(out, victim string) error
		want  string // part of the error; "" if the run succeeds
	}{
		"part is a symbolic link":       {replace(".part", os.Symlink), "out.part: is not a regular file: remove it"},
		"part is a hard link":           {replace(".part", os.Link), "out.part: is a hard link to another file"},
		"part is a pipe":                {replace(".part", pipe), "out.part: is not a regular file"},
		"part is a folder":              {replace(".part", folder), "out.part: is not a regular file"},
		"part of another user":          {func(out, _ string) error { return foreign(out + ".part") }, "out.part: belongs to another user"},
		"part leads nowhere":            {replace(".part", func(victim, path string) error { return os.Symlink(victim+"2", path) }), "out.part: is not a regular file"},
		"journal is a symbolic link":    {replace(".journal", os.Symlink), "out.journal: is not a regular file"},
		"journal is a hard link":        {replace(".journal", os.Link), "out.journal: is a hard link"},
		"journal is a pipe":             {replace(".journal", pipe), "out.journal: is not a regular file"},
		"journal of another user":       {func(out, _ string) error { return foreign(out + ".journal") }, "out.journal: belongs to another user"},
		"journal leads to a device":     {replace(".journal", func(_, path string) error { return os.Symlink("/dev/zero", path) }), "out.journal: is not a regular file"},
		"journal is huge":               {func(out, _ string) error { return os.Truncate(out+".journal", 1<<40) }, "out.journal: not a journal"},
		"old temporary name is a link":  {func(out, victim string) error { return os.Symlink(victim, out+".journal.tmp") }, ""},
		"the output itself is a link":   {func(out, victim string) error { return os.Symlink(filepath.Join(filepath.Dir(victim), "other"), out) }, ""},
		"nothing is planted (control)":  {func(string, string) error { return nil }, ""},
		"both are of another user":      {func(out, _ string) error { return cmpErr(foreign(out+".part"), foreign(out+".journal")) }, "belongs to another user"},
		"part of another user, private": {func(out, _ string) error { return cmpErr(foreign(out+".part"), os.Chmod(filepath.Dir(out), 0o755)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, victim := interrupted(t)
			if err := c.plant(out, victim); err != nil {
				t.Skip(err)
			}
			isLink := strings.HasPrefix(name, "the output itself")
			if isLink { // then the unfinished output belongs to the target
				for _, suffix := range []string{".part", ".journal"} {
					if err := os.Rename(out+suffix, filepath.Join(filepath.Dir(out), "other"+suffix)); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := whole(out, "key")
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, expected %q", err, c.want)
			}
			if got, err := os.ReadFile(victim); string(got) != "precious" {
				t.Errorf("the file of the other user has %q (%v)", got, err)
			}
			fi, err := os.Lstat(out)
			switch {
			case c.want != "" && err == nil:
				t.Errorf("there is an output: %v", fi.Mode())
			case c.want == "" && (err != nil || fi.Mode().IsRegular() == isLink):
				t.Errorf("the output is %v (%v)", fi, err)
			}
		})
	}
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// If another process replaces path.part during the run, its file does not become the output.
func TestPlantedDuringRun(t *testing.T) {
	out, victim := interrupted(t)
	r, err := CreateResumable(out, "key")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort()
	if err := r.Finish("state"); err != nil {
		t.Fatal(err)
	}
	os.Remove(out + ".part")
	if err := os.Symlink(victim, out+".part"); err != nil {
		t.Fatal(err)
	}
	if err := r.Commit(); err == nil || !strings.Contains(err.Error(), "another process has replaced") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("the link is the output")
	}
}

// A file that replaces another file has the same owner, group and permissions, without the bits
// setuid and setgid. The temporary file is never readable for more users than the old file.
func TestOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change the owner of a file")
	}
	for name, create := range creators {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "out")
			old(t, path, 1234, 2345, 0o640|fs.ModeSetuid|fs.ModeSetgid)
			if err := create(path); err != nil {
				t.Fatal(err)
			}
			check(t, path, 1234, 2345, 0o640)
		})
	}
}

// A user who is not root keeps the group if possible. Otherwise, the new group gets no permission
// that others do not have.
func TestOwnerWithoutRoot(t *testing.T) {
	if path := os.Getenv("INPOLY_OUTPUT"); path != "" {
		if err := creators[os.Getenv("INPOLY_CREATOR")](path); err != nil {
			t.Fatal(err)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can run a process of another user")
	}
	dir, err := os.MkdirTemp("/tmp", "owner") // the folder of t.TempDir is closed for other users
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chown(dir, 1234, 1234); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "test")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		uid, gid int // of the old file
		perm     fs.FileMode
		wantGID  int
		wantPerm fs.FileMode
	}{
		{"own group", 1234, 1234, 0o640, 1234, 0o640},
		{"other group of the user", 1234, 2000, 0o660, 2000, 0o660},
		{"foreign group", 1234, 3000, 0o664, 1234, 0o644},
		{"foreign group, denied", 1234, 3000, 0o606, 1234, 0o600},
		{"foreign owner", 4321, 2000, 0o664, 2000, 0o664},
	} {
		for name := range creators {
			t.Run(c.name+", "+name, func(t *testing.T) {
				path := filepath.Join(dir, "out")
				os.Remove(path)
				old(t, path, c.uid, c.gid, c.perm)
				cmd := exec.Command(program, "-test.run=^TestOwnerWithoutRoot$")
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "INPOLY_OUTPUT="+path, "INPOLY_CREATOR="+name)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1234, Gid: 1234, Groups: []uint32{2000}}}
				if message, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, message)
				}
				check(t, path, 1234, c.wantGID, c.wantPerm)
			})
		}
	}
}

// creators replace the file at path.
var creators = map[string]func(path string) error{
	"File": func(path string) error {
		f, err := Create(path)
		if err != nil {
			return err
		}
		defer f.Abort()
		f.Write([]byte(content))
		return f.Commit()
	},
	"File with a name": func(path string) error {
		// Without unnamed files, a File has a temporary name.
		defer disk.Inject(func(op, file string) disk.Fault {
			if op == "link" {
				return disk.Fault{Err: syscall.EPERM}
			}
			return disk.Fault{}
		})()
		f, err := Create(path)
		if err != nil {
			return err
		}
		defer f.Abort()
		f.Write([]byte(content))
		return f.Commit()
	},
	"Resumable": func(path string) error { return whole(path, "key") },
}

func old(t *testing.T, path string, uid, gid int, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(path, uid, gid); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, path string, uid, gid int, mode fs.FileMode) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, []byte(content)) {
		t.Errorf("%q, %v", data, err)
	}
	fi, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	st := fi.Sys().(*syscall.Stat_t)
	if int(st.Uid) != uid || int(st.Gid) != gid || fi.Mode() != mode {
		t.Errorf("owner %d:%d, mode %v; expected %d:%d, %v", st.Uid, st.Gid, fi.Mode(), uid, gid, mode)
	}
}
