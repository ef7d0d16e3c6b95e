package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"golang.org/x/mod/semver"
)

const (
	summary    = "decides exactly which points are inside a triangle mesh"
	homepage   = "https://" + modulePath
	maintainer = "The inpoly authors <inpoly@users.noreply.github.com>"
	revision   = "1" // revision of the Debian package, for the same version of inpoly
)

const description = summary + `
inpoly reads triangle meshes (STL, OBJ, PLY, OFF, glTF, GLB, 3MF, MSH, VTK,
CityJSON) and points (CSV, JSON Lines, GeoJSON, NPY, NPZ, PLY, PCD, LAS, LAZ,
Parquet). It reports for each point whether the point is inside the mesh,
outside or on its surface, exactly for the given coordinates.
.
The mesh can be closed, open, nested, overlapping, inverted or self-crossing.
The command also computes winding numbers, signed distances and nearest faces,
reports the defects of a mesh, samples it on a grid, and draws it.`

// writeDeb writes the Debian package of a Linux build.
func writeDeb(dist, work string, src *source, docs *documents, b *build) error {
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	base, candidate := strings.TrimPrefix(src.version, "v"), strings.TrimPrefix(semver.Prerelease(src.version), "-")
	base = strings.TrimSuffix(base, semver.Prerelease(src.version))
	number := base
	if candidate != "" {
		number += "~" + candidate // sorts before the version without a suffix
	}
	license, err := src.read("LICENSE")
	if err != nil {
		return err
	}
	changes, err := src.read("CHANGELOG.md")
	if err != nil {
		return err
	}
	compressed := map[string][]byte{
		"man.gz":              docs.man,
		"changelog.gz":        changes,
		"changelog.Debian.gz": []byte(debianChangelog(src, number)),
		"notices.gz":          notices(b.licenses),
	}
	plain := map[string][]byte{
		"copyright": debianCopyright(license, b.licenses),
		// Go links statically, and no bug of Debian asks for this package.
		"overrides": []byte("inpoly: statically-linked-binary [usr/bin/inpoly]\ninpoly: initial-upload-closes-no-bugs\n"),
		"bash":      docs.completion["bash"], "fish": docs.completion["fish"], "zsh": docs.completion["zsh"],
	}
	for name, data := range compressed {
		if plain[name], err = compress(data); err != nil {
			return err
		}
	}
	for name, data := range plain {
		if err := os.WriteFile(filepath.Join(work, name), data, 0o644); err != nil {
			return err
		}
	}
	var contents files.Contents
	add := func(source, path string, mode os.FileMode) {
		contents = append(contents, &files.Content{
			Source: source, Destination: path, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: src.time},
		})
	}
	add(b.path, "/usr/bin/inpoly", 0o755)
	for _, f := range [][2]string{
		{"man.gz", "/usr/share/man/man1/inpoly.1.gz"},
		{"bash", "/usr/share/bash-completion/completions/inpoly"},
		{"fish", "/usr/share/fish/vendor_completions.d/inpoly.fish"},
		{"zsh", "/usr/share/zsh/vendor-completions/_inpoly"},
		{"copyright", "/usr/share/doc/inpoly/copyright"},
		{"changelog.gz", "/usr/share/doc/inpoly/changelog.gz"},
		{"changelog.Debian.gz", "/usr/share/doc/inpoly/changelog.Debian.gz"},
		{"notices.gz", "/usr/share/doc/inpoly/THIRD_PARTY_NOTICES.txt.gz"},
		{"overrides", "/usr/share/lintian/overrides/inpoly"},
	} {
		add(filepath.Join(work, f[0]), f[1], 0o644)
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "inpoly", Arch: b.arch, Platform: "linux", Version: base, Prerelease: candidate, Release: revision, VersionSchema: "semver",
		Section: "science", Priority: "optional", Maintainer: maintainer, Description: description, Homepage: homepage,
		MTime: src.time, Overridables: nfpm.Overridables{Contents: contents, Umask: 0o022},
	})
	if err := nfpm.PrepareForPackager(info, "deb"); err != nil {
		return err
	}
	var buf bytes.Buffer
	if err := deb.Default.Package(info, &buf); err != nil {
		return err
	}
	name := fmt.Sprintf("inpoly_%s-%s_%s.deb", number, revision, b.arch)
	return os.WriteFile(filepath.Join(dist, name), buf.Bytes(), 0o644)
}

// debianChangelog returns the changelog of the package; the changes of inpoly are in CHANGELOG.md.
func debianChangelog(src *source, number string) string {
	return fmt.Sprintf("inpoly (%s-%s) unstable; urgency=medium\n\n  * inpoly %s. The file changelog.gz lists its changes.\n\n -- %s  %s\n",
		number, revision, src.version, maintainer, src.time.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
}

// debianCopyright returns the file copyright in the format that Debian calls DEP-5.
func debianCopyright(license []byte, components []component) []byte {
	var s bytes.Buffer
	fmt.Fprintf(&s, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: inpoly\nSource: %s\n", homepage)
	s.WriteString("Comment:\n The command contains these modules. THIRD_PARTY_NOTICES.txt.gz has their licenses.\n .\n")
	for _, c := range components {
		fmt.Fprintf(&s, "  %s %s: %s\n", c.module, c.version, strings.Join(c.ids, " and "))
	}
	holder := "The inpoly authors"
	for line := range strings.Lines(string(license)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "Copyright (c) "); ok {
			holder = text
			break
		}
	}
	fmt.Fprintf(&s, "\nFiles: *\nCopyright: %s\nLicense: Expat\n", holder)
	_, text, ok := strings.Cut(string(license), "\n\nPermission")
	if !ok {
		text = string(license)
	} else {
		text = "Permission" + text
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			line = "."
		}
		s.WriteString(" " + line + "\n")
	}
	return s.Bytes()
}
