package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

const modulePath = "github.com/inpoly/inpoly"

// source is a copy of one commit of the repository.
type source struct {
	dir     string    // a git repository that has only this commit, with version as its tag
	commit  string    // full hash
	version string    // v1.2.3 or v1.2.3-rc.1
	time    time.Time // time of the commit, which is the time of all built files
}

// heading matches the headings of versions in CHANGELOG.md.
var heading = regexp.MustCompile(`(?m)^## (v[0-9]+\.[0-9]+\.[0-9]+)\b.*$`)

// checkOut copies a commit of repository to dir. If version is empty, it is the tag of the commit or
// else the newest version of CHANGELOG.md. checkOut fails if CHANGELOG.md does not describe the
// version, or if its tag belongs to another commit.
func checkOut(ctx context.Context, repository, revision, version, dir string) (*source, error) {
	repository, err := filepath.Abs(repository)
	if err != nil {
		return nil, err
	}
	commit, err := git(ctx, repository, "rev-parse", "--verify", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, err
	}
	if version == "" {
		tags, err := git(ctx, repository, "tag", "--points-at", commit)
		if err != nil {
			return nil, err
		}
		versions := slices.DeleteFunc(strings.Fields(tags), func(t string) bool { return !semver.IsValid(t) })
		semver.Sort(versions)
		if len(versions) > 0 {
			version = versions[len(versions)-1]
		}
	}
	changes, err := git(ctx, repository, "show", commit+":CHANGELOG.md")
	if err != nil {
		return nil, err
	}
	described := heading.FindAllStringSubmatch(changes, -1)
	if version == "" {
		if len(described) == 0 {
			return nil, fmt.Errorf("CHANGELOG.md of %s has no version: name it with -version", commit)
		}
		version = described[0][1]
	}
	if semver.Canonical(version) != version {
		return nil, fmt.Errorf("version %q: expected the form v1.2.3 or v1.2.3-rc.1", version)
	}
	base := strings.TrimSuffix(version, semver.Prerelease(version))
	if !slices.ContainsFunc(described, func(m []string) bool { return m[1] == base }) {
		return nil, fmt.Errorf("CHANGELOG.md of %s has no heading %q", commit, "## "+base)
	}
	if tagged, err := git(ctx, repository, "rev-parse", "--verify", "--quiet", "refs/tags/"+version+"^{commit}"); err == nil && tagged != commit {
		return nil, fmt.Errorf("the tag %s belongs to the commit %s, not to %s", version, tagged, commit)
	}

	// A copy has no uncommitted files, no other tags, and no settings of the user.
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"fetch", "--quiet", "--no-tags", "--depth=1", "file://" + filepath.ToSlash(repository), commit},
		{"-c", "core.autocrlf=false", "-c", "advice.detachedHead=false", "checkout", "--quiet", commit},
		{"update-ref", "refs/tags/" + version, commit},
	} {
		if _, err := git(ctx, dir, args...); err != nil {
			return nil, err
		}
	}
	seconds, err := git(ctx, dir, "show", "--no-patch", "--format=%ct", commit)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("time of %s: %w", commit, err)
	}
	return &source{dir, commit, version, time.Unix(n, 0).UTC()}, nil
}

// read returns the content of a file of the commit.
func (s *source) read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(name)))
}

// number returns the version without the leading v, as file names have it.
func (s *source) number() string { return strings.TrimPrefix(s.version, "v") }

// git runs git in dir and returns its output without the last line end.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	// Hooks and tests set these variables; they would select another repository.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "GIT_DIR=") || strings.HasPrefix(e, "GIT_WORK_TREE=") || strings.HasPrefix(e, "GIT_INDEX_FILE=")
	})
	out, err := output(cmd)
	return strings.TrimRight(string(out), "\n"), err
}

// output runs cmd and returns its standard output. The error contains standard error.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
