package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// platform is an operating system and an architecture, in Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

// platforms lists the platforms of a release.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// build is the command for one platform.
type build struct {
	platform
	path     string // path of the executable
	size     int64
	info     *debug.BuildInfo
	licenses []component
}

// name returns the name of the executable.
func (p platform) name() string {
	if p.os == "windows" {
		return "inpoly.exe"
	}
	return "inpoly"
}

// goTools runs the go command in a source. Its environment has no settings that change the built
// files, and no network.
type goTools struct {
	src      *source
	environ  []string
	root     string // GOROOT
	version  string // such as go1.26.8
	modCache string // GOMODCACHE
}

// findGo finds the go command on the path. GOMODCACHE must have the modules of the source.
func findGo(ctx context.Context, src *source) (*goTools, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION", "GOMODCACHE", "GOCACHE", "GOPATH")
	cmd.Dir = src.dir
	out, err := output(cmd)
	if err != nil {
		return nil, err
	}
	v := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(v) != 5 {
		return nil, fmt.Errorf("go env: expected 5 lines, found %q", out)
	}
	// GOENV=off ignores "go env -w". Variables such as GOFLAGS, GOEXPERIMENT, GOAMD64 and GODEBUG
	// are removed: they change the built files.
	environ := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GO") || strings.HasPrefix(e, "CGO_") || strings.HasPrefix(e, "GIT_")
	})
	environ = append(environ, "GOENV=off", "GOWORK=off", "GOPROXY=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0",
		"GOROOT="+v[0], "GOMODCACHE="+v[2], "GOCACHE="+v[3], "GOPATH="+v[4],
		fmt.Sprintf("SOURCE_DATE_EPOCH=%d", src.time.Unix()))
	return &goTools{src, environ, v[0], v[1], v[2]}, nil
}

// command returns a go command for a platform.
func (g *goTools) command(ctx context.Context, p platform, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = g.src.dir
	cmd.Env = append(slices.Clone(g.environ), "GOOS="+p.os, "GOARCH="+p.arch)
	return cmd
}

func (g *goTools) buildAll(ctx context.Context, list []platform, dir string) ([]*build, error) {
	var builds []*build
	for _, p := range list {
		b, err := g.build(ctx, p, dir)
		if err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	return builds, nil
}

// forgetVersion removes the version of the commit from the module cache. A build before the commit had
// its tag has stored a pseudo-version there, and Go would use it instead of the tag.
func (g *goTools) forgetVersion() error {
	stored, err := filepath.Glob(filepath.Join(g.modCache, "cache", "download", filepath.FromSlash(modulePath), "@v", "*-"+g.src.commit[:12]+".info"))
	if err != nil {
		return err
	}
	for _, name := range stored {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// buildCommand returns the go command that builds a main package of the command inpoly. The packages in cmd/inpoly/compact.txt
// have no inlined functions, which makes the file smaller. They do not run for each point.
func (g *goTools) buildCommand(ctx context.Context, p platform, out, pkg string) (*exec.Cmd, error) {
	compact, err := g.src.read("cmd/inpoly/compact.txt")
	if err != nil {
		return nil, err
	}
	args := []string{"build", "-mod=readonly", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", out}
	for _, name := range strings.Fields(string(compact)) {
		args = append(args, "-gcflags="+name+"=-l")
	}
	return g.command(ctx, p, append(args, pkg)...), nil
}

// build builds the command for a platform. Go takes the version from the tag of the source, so the
// build information of the command is the same as after "go install …@version", plus the commit.
func (g *goTools) build(ctx context.Context, p platform, dir string) (*build, error) {
	b := &build{platform: p, path: filepath.Join(dir, p.os+"_"+p.arch, p.name())}
	if err := g.forgetVersion(); err != nil {
		return nil, err
	}
	cmd, err := g.buildCommand(ctx, p, b.path, "./cmd/inpoly")
	if err != nil {
		return nil, err
	}
	if _, err := output(cmd); err != nil {
		return nil, err
	}
	fi, err := os.Stat(b.path)
	if err != nil {
		return nil, err
	}
	b.size = fi.Size()
	if b.info, err = buildinfo.ReadFile(b.path); err != nil {
		return nil, err
	}
	settings := map[string]string{}
	for _, s := range b.info.Settings {
		settings[s.Key] = s.Value
	}
	switch {
	case b.info.Main.Path != modulePath || b.info.Main.Version != g.src.version:
		err = fmt.Errorf("has the module %s %s, not %s %s", b.info.Main.Path, b.info.Main.Version, modulePath, g.src.version)
	case settings["vcs.revision"] != g.src.commit || settings["vcs.modified"] != "false":
		err = fmt.Errorf("has the commit %q, modified %q, not %s", settings["vcs.revision"], settings["vcs.modified"], g.src.commit)
	}
	for _, d := range b.info.Deps {
		if d.Replace != nil {
			err = errors.Join(err, fmt.Errorf("module %s is replaced", d.Path))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the command for %s: %w", p, err)
	}
	return b, nil
}

// documents are the texts that the command prints.
type documents struct {
	man        []byte
	completion map[string][]byte // completion scripts by the name of the shell
}

// shells lists the shells with completion, and the names of their files in an archive.
var shells = []struct{ name, file string }{
	{"bash", "inpoly.bash"}, {"fish", "inpoly.fish"}, {"powershell", "inpoly.ps1"}, {"zsh", "_inpoly"},
}

// documents runs the command for this machine, which it builds if it is not one of builds.
func (g *goTools) documents(ctx context.Context, builds []*build, dir string) (*documents, error) {
	host := platform{runtime.GOOS, runtime.GOARCH}
	i := slices.IndexFunc(builds, func(b *build) bool { return b.platform == host })
	var native *build
	if i >= 0 {
		native = builds[i]
	} else {
		var err error
		if native, err = g.build(ctx, host, dir); err != nil {
			return nil, err
		}
	}
	version, err := output(exec.CommandContext(ctx, native.path, "version"))
	if err != nil {
		return nil, err
	}
	if want := fmt.Sprintf("inpoly %s %s %s %s\n", g.src.version, g.src.commit[:12], g.version, host); string(version) != want {
		return nil, fmt.Errorf("inpoly version prints %q, not %q", version, want)
	}
	d := &documents{completion: map[string][]byte{}}
	if d.man, err = output(exec.CommandContext(ctx, native.path, "man")); err != nil {
		return nil, err
	}
	for _, s := range shells {
		if d.completion[s.name], err = output(exec.CommandContext(ctx, native.path, "completion", s.name)); err != nil {
			return nil, err
		}
	}
	return d, nil
}
