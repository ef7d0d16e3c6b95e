package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDownload checks that the last commit is no larger than the limits, as an archive and as a module.
func TestDownload(t *testing.T) {
	if _, err := git(t.Context(), repository, "rev-parse", "HEAD^{commit}"); err != nil {
		t.Skipf("no commit to measure: %v", err)
	}
	var report bytes.Buffer
	err := run(t.Context(), []string{"-repository", repository, "-sizes"}, &report)
	if errors.Is(err, errTooLarge) {
		t.Errorf("%v\n%s", err, &report)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", &report)
}

// TestMeasure checks the sizes of a small repository with a nested module, and the errors above the limits.
func TestMeasure(t *testing.T) {
	dir := repo(t)
	for name, text := range map[string]string{
		"go.mod": "module " + modulePath + "\n", "LICENSE": "license", "docs/pictures/a.svg": "0123456789", "docs/b.md": "01234",
		"bench/go.mod": "module " + modulePath + "/bench\n", "bench/main.go": "package main\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"add", "."}, {"-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "commit", "--quiet", "-m", "third"}} {
		if _, err := git(t.Context(), dir, args...); err != nil {
			t.Fatal(err)
		}
	}
	src, err := checkOut(t.Context(), dir, "HEAD", "", filepath.Join(t.TempDir(), "source"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if a, m := d.archive, d.moduleZip; a.files != 7 || m.files != 5 || a.folders["docs/pictures"] != 10 || m.folders["docs"] != 5 ||
		a.folders["bench"] == 0 || m.folders["bench"] != 0 || a.unpacked <= m.unpacked || a.size == 0 || m.size == 0 {
		t.Errorf("archive %+v, module zip %+v", a, m)
	}
	if err := d.check(); err != nil {
		t.Error(err)
	}
	d.archive.size, d.moduleZip.size = maxArchive+1, maxModuleZip+1
	if err := d.check(); !errors.Is(err, errTooLarge) || !strings.Contains(err.Error(), "the archive has ") || !strings.Contains(err.Error(), "the module zip has ") {
		t.Errorf("error %v, want two sizes", err)
	}
}
