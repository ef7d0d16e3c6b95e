package disk

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A call that a signal interrupts is repeated. Closing is not repeated.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	named := path + "named" // closed: Windows does not rename an open file
	if err := os.WriteFile(named, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	interrupted := map[string]int{}
	restore := Inject(func(op, _ string) Fault {
		if interrupted[op]++; interrupted[op]%2 == 1 {
			return Fault{Err: syscall.EINTR}
		}
		return Fault{}
	})
	defer restore()
	f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"write":    second(f.Write([]byte("12345678"))),
		"read":     second(f.ReadAt(make([]byte, 8), 0)),
		"seek":     second(f.Seek(0, io.SeekStart)),
		"stat":     second(f.Stat()),
		"sync":     f.Sync(),
		"truncate": f.Truncate(4),
		"rename":   Rename(named, path+"b"),
		"remove":   Remove(path + "b"),
		"mkdir":    MkdirAll(path+"c", 0o700),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := f.Close(); !errors.Is(err, syscall.EINTR) {
		t.Errorf("close: %v", err)
	}
	if _, err := f.Seek(0, io.SeekStart); !errors.Is(err, os.ErrClosed) {
		t.Errorf("the file is open after Close: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// A short write transfers half of the bytes and fails. A short read succeeds.
func TestShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fault := Fault{Short: true}
	restore := Inject(func(string, string) Fault { return fault })
	if n, err := f.Write([]byte("12345678")); n != 4 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("write: %d bytes, %v", n, err)
	}
	fault.Err = syscall.ENOSPC
	if n, err := f.WriteAt([]byte("abcd"), 0); n != 2 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("write: %d bytes, %v", n, err)
	}
	fault.Err = nil
	buf := make([]byte, 4)
	if n, err := f.ReadAt(buf, 0); n != 2 || err == nil {
		t.Errorf("pread: %d bytes, %v", n, err)
	}
	restore()
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	restore = Inject(func(string, string) Fault { return fault })
	n, err := f.Read(buf)
	restore()
	if n != 2 || err != nil || string(buf[:n]) != "ab" {
		t.Errorf("read: %q, %v", buf[:n], err)
	}
	if data, err := ReadFile(path, 1<<10); string(data) != "ab34" || err != nil {
		t.Errorf("the file has %q, %v", data, err)
	}
}
