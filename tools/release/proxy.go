package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// writeProxy writes the version of src as a module proxy in dir, in the layout of
// https://go.dev/ref/mod#goproxy-protocol. GOPROXY=file://DIR selects it.
func writeProxy(dir string, src *source) error {
	escaped, err := module.EscapePath(modulePath)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{src.version, src.time})
	if err != nil {
		return err
	}
	mod, err := src.read("go.mod")
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"list": []byte(src.version + "\n"), src.version + ".info": info, src.version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	f, err := os.Create(filepath.Join(dir, src.version+".zip"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writeModule(f, src); err != nil {
		return err
	}
	return f.Close()
}

// writeModule writes the zip file of the module: the files of the commit, without nested modules, as
// Go's tools create it.
func writeModule(w io.Writer, src *source) error {
	return zip.CreateFromVCS(w, module.Version{Path: modulePath, Version: src.version}, src.dir, src.commit, "")
}
