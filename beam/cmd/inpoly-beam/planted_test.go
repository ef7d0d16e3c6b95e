//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The driver refuses a folder of shards that another user can have planted.
func TestPlantedParts(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	parts := filepath.Join(dir, "o.parts-1")
	for name, c := range map[string]struct {
		plant func() error
		ok    bool
	}{
		"nothing":                {func() error { return nil }, true},
		"own folder":             {func() error { return os.Mkdir(parts, 0o777) }, true},
		"link":                   {func() error { return os.Symlink(t.TempDir(), parts) }, false},
		"file":                   {func() error { return os.WriteFile(parts, nil, 0o666) }, false},
		"folder of another user": {func() error { os.Mkdir(parts, 0o777); return os.Chown(parts, 65534, 65534) }, false},
	} {
		if err := c.plant(); err != nil {
			t.Logf("%s: skipped: %v", name, err) // only root can create the folder of another user
		} else if err := (&task{Parts: parts}).createParts(); (err == nil) != c.ok {
			t.Errorf("%s: error %v", name, err)
		}
		os.Remove(parts)
	}
}
