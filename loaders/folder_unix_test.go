//go:build unix

package loaders

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestUnreadableFolder loads meshes from a folder that allows access to files, but cannot be
// opened. Only a mesh with an external file must fail, with the error of the operating system.
func TestUnreadableFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can open all folders")
	}
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.off": "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
		"a.gltf": `{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"uri":"a.bin","byteLength":36}]}`,
		"a.bin": string(make([]byte, 36)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o100); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o700) })
	if _, _, err := Load(context.Background(), filepath.Join(dir, "a.off"), Options{}); err != nil {
		t.Error(err)
	}
	if _, _, err := Load(context.Background(), filepath.Join(dir, "a.gltf"), Options{}); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("an external file: got %v, want %v", err, fs.ErrPermission)
	}
}
