package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

const sumsName = "SHA256SUMS"

// writeSums writes the checksums of all files in dist in the format of sha256sum. It returns the
// path of the written file.
func writeSums(dist string) (string, error) {
	names, err := walk(dist)
	if err != nil {
		return "", err
	}
	var s bytes.Buffer
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dist, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&s, "%x  %s\n", sha256.Sum256(data), name)
	}
	path := filepath.Join(dist, sumsName)
	return path, os.WriteFile(path, s.Bytes(), 0o644)
}

// walk returns the names of all files in dir, sorted, with slashes.
func walk(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// sign writes path.sig, an SSH signature of the file at path with the namespace "file". ssh-keygen
// asks for a passphrase, or for a touch of a hardware key, on the terminal.
func sign(ctx context.Context, path, key string) error {
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-Y", "sign", "-f", key, "-n", "file", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%v: %w", cmd, err)
	}
	return nil
}
