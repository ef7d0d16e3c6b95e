package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// repo returns a repository with two commits. The first one has the tag v1.1.0.
func repo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	commit := func(changes, message string) {
		if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte(changes), 0o644); err != nil {
			t.Fatal(err)
		}
		run := func(args ...string) {
			t.Helper()
			if _, err := git(t.Context(), dir, append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)...); err != nil {
				t.Fatal(err)
			}
		}
		if message == "first" {
			run("init", "--quiet")
		}
		run("add", ".")
		run("commit", "--quiet", "-m", message, "--date=2026-01-02T03:04:05Z")
		if message == "first" {
			run("tag", "v1.1.0")
			run("tag", "not-a-version")
		}
	}
	commit("# Changelog\n\n## v1.1.0 (2026-01-02)\n", "first")
	commit("# Changelog\n\n## v1.2.0 (unreleased)\n\n## v1.1.0 (2026-01-02)\n", "second")
	return dir
}

func TestVersions(t *testing.T) {
	dir := repo(t)
	for _, c := range []struct{ revision, version, want, err string }{
		{"HEAD", "", "v1.2.0", ""},
		{"HEAD~", "", "v1.1.0", ""},
		{"v1.1.0", "v1.1.0", "v1.1.0", ""},
		{"HEAD", "v1.2.0-rc.1", "v1.2.0-rc.1", ""},
		{"HEAD", "v1.1.0", "", "the tag v1.1.0 belongs to the commit"},
		{"HEAD", "v1.3.0", "", `has no heading "## v1.3.0"`},
		{"HEAD", "1.2.0", "", "expected the form v1.2.3"},
		{"HEAD", "v1.2", "", "expected the form v1.2.3"},
		{"HEAD", "v1.2.0+build", "", "expected the form v1.2.3"},
		{"nosuch", "", "", "rev-parse"},
		{"--help", "", "", "rev-parse"},
	} {
		to := filepath.Join(t.TempDir(), "source")
		src, err := checkOut(t.Context(), dir, c.revision, c.version, to)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s %s: error %v, want %q", c.revision, c.version, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.revision, c.version, err)
			continue
		}
		if tag, err := git(t.Context(), to, "describe", "--tags", "--dirty"); err != nil || tag != c.want || src.version != c.want {
			t.Errorf("%s %s: version %s, tag %q, %v; want %s", c.revision, c.version, src.version, tag, err, c.want)
		}
		if src.time.IsZero() || len(src.commit) != 40 {
			t.Errorf("time %v, commit %q", src.time, src.commit)
		}
	}
}

// Bad command lines fail before anything is built, and files that are no release stay.
func TestRefused(t *testing.T) {
	dir := repo(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "photo.jpg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		err  string
	}{
		{nil, "-out is missing"},
		{[]string{"-out", full}, "has files, but no SHA256SUMS"},
		{[]string{"-out", t.TempDir(), "more"}, `unexpected argument "more"`},
		{[]string{"-out", t.TempDir(), "-platforms", "plan9/amd64"}, `"plan9/amd64" is not one of [linux/amd64 `},
		{[]string{"-out", t.TempDir(), "-sign-key", filepath.Join(full, "none")}, "-sign-key: "},
		{[]string{"-out", filepath.Join(full, "photo.jpg")}, "photo.jpg"},
		{[]string{"-out", filepath.Join(t.TempDir(), "a"), "-repository", dir}, "cmd/inpoly"}, // the commit has no program
	} {
		var report bytes.Buffer
		err := run(t.Context(), append([]string{"-repository", dir}, c.args...), &report)
		if err == nil || !strings.Contains(err.Error(), c.err) || report.Len() > 0 {
			t.Errorf("%q: error %v, report %q; want %q", c.args, err, report.String(), c.err)
		}
	}
	if names, err := walk(full); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
}

func TestLicenseNotices(t *testing.T) {
	const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
	const gpl = "This program is free software: you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		ids   string
		err   string
	}{
		{"one license", map[string]string{"LICENSE": mit, "sub/LICENSE.txt": mit, "license.go": "package p", "other/LICENSE": gpl}, "MIT", ""},
		{"a notice", map[string]string{"COPYING": mit, "NOTICE": "Written by N."}, "MIT", ""},
		{"no license", map[string]string{"README.md": mit}, "", "has no license"},
		{"an unknown license", map[string]string{"LICENSE": "All rights reserved."}, "", "0% of the text"},
		{"copyleft", map[string]string{"LICENSE": mit, "sub/LICENSE": gpl}, "", "GPL"},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		folders := []string{root}
		if c.files["sub/LICENSE"]+c.files["sub/LICENSE.txt"] != "" {
			folders = append(folders, filepath.Join(root, "sub"))
		}
		got := component{module: "m", version: "v1"}
		err := got.collect(root, folders)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || strings.Join(got.ids, " ") != c.ids || len(got.notices) != 2 {
			t.Errorf("%s: %v, %d notices, %v; want %s", c.name, got.ids, len(got.notices), err, c.ids)
		}
	}
}

func TestSumHash(t *testing.T) {
	// The SHA-256 of nothing.
	const sum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	const want = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	if got, err := sumHash(sum); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []string{"", "h2:" + sum[3:], sum[:20], "h1:!"} {
		if got, err := sumHash(bad); err == nil {
			t.Errorf("%q: %s", bad, got)
		}
	}
}
