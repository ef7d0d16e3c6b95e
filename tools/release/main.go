// Command release builds the files of a release of inpoly from a commit: archives, Debian packages,
// a container image, software bills of materials, the page for browsers, the checker of proof files, a
// module proxy and checksums. docs/releasing.md explains how to publish them.
//
//	go run . -version v1.2.3 -out ../../dist/release
//
// The same commit, version and Go version give the same bytes, on every machine and in every folder.
// The program and the builds that it starts need no network after "go mod download" in this folder
// and in the root of the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run executes the command line and prints a table of the built files to w.
func run(ctx context.Context, args []string, w io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	repository := flags.String("repository", "../..", "`folder` of the repository")
	commit := flags.String("commit", "HEAD", "`revision` to build; changes that are not committed are not built")
	version := flags.String("version", "", "`version` such as v1.2.3 (default: the tag of the commit, else the newest version in CHANGELOG.md)")
	out := flags.String("out", "", "`folder` of the built files; an older release in it is removed")
	only := flags.String("platforms", "", "comma-separated `list` such as linux/amd64,darwin/arm64 (default: all)")
	sizes := flags.Bool("sizes", false, "only print the sizes of the commit as an archive and as a module, and fail above their limits")
	key := flags.String("sign-key", "", "private SSH key `file` that signs SHA256SUMS")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if *sizes {
		return printDownload(ctx, options{repository: *repository, commit: *commit, version: *version, report: w})
	}
	if *out == "" {
		return errors.New("-out is missing")
	}
	selected := platforms
	if *only != "" {
		selected = nil
		for name := range strings.SplitSeq(*only, ",") {
			i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
			if i < 0 {
				return fmt.Errorf("-platforms: %q is not one of %v", name, platforms)
			}
			selected = append(selected, platforms[i])
		}
	}
	if *key != "" {
		if _, err := os.Stat(*key); err != nil {
			return fmt.Errorf("-sign-key: %w", err)
		}
	}
	return release(ctx, options{
		repository: *repository, commit: *commit, version: *version, out: *out, platforms: selected, key: *key, report: w,
	})
}

type options struct {
	repository, commit, version, out, key string
	platforms                             []platform
	report                                io.Writer
}

// release builds all files in a new folder beside o.out. The folder replaces o.out when it is
// complete.
func release(ctx context.Context, o options) (err error) {
	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	if err := checkReplaceable(out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	dist, err := os.MkdirTemp(filepath.Dir(out), ".release-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dist)) }()
	if err := os.Chmod(dist, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "inpoly-release-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()

	src, err := checkOut(ctx, o.repository, o.commit, o.version, filepath.Join(work, "source"))
	if err != nil {
		return err
	}
	tools, err := findGo(ctx, src)
	if err != nil {
		return err
	}
	builds, err := tools.buildAll(ctx, o.platforms, filepath.Join(work, "bin"))
	if err != nil {
		return err
	}
	docs, err := tools.documents(ctx, builds, filepath.Join(work, "bin"))
	if err != nil {
		return err
	}
	for _, b := range builds {
		if b.licenses, err = tools.licenses(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", b.platform, err)
		}
	}
	for _, b := range builds {
		if err := writeArchive(dist, src, docs, b); err != nil {
			return err
		}
		if err := writeSBOM(dist, src, b); err != nil {
			return err
		}
	}
	linux := slices.DeleteFunc(slices.Clone(builds), func(b *build) bool { return b.os != "linux" })
	for _, b := range linux {
		if err := writeDeb(dist, filepath.Join(work, "deb", b.arch), src, docs, b); err != nil {
			return fmt.Errorf("debian package for %s: %w", b.arch, err)
		}
	}
	if len(linux) > 0 {
		if err := writeImage(dist, filepath.Join(work, "image"), src, linux); err != nil {
			return fmt.Errorf("container image: %w", err)
		}
	}
	if err := tools.writePage(ctx, dist, work); err != nil {
		return err
	}
	if err := writeChecker(dist, src); err != nil {
		return fmt.Errorf("checker of proof files: %w", err)
	}
	if err := writeProxy(filepath.Join(dist, "goproxy"), src); err != nil {
		return fmt.Errorf("module proxy: %w", err)
	}
	sums, err := writeSums(dist)
	if err != nil {
		return err
	}
	if o.key != "" {
		if err := sign(ctx, sums, o.key); err != nil {
			return err
		}
	}
	if err := replace(out, dist); err != nil {
		return err
	}
	fmt.Fprintf(o.report, "inpoly %s, commit %s, %s, in %s\n", src.version, src.commit, tools.version, out)
	return printSizes(o.report, out, builds)
}

// checkReplaceable returns an error if out has files, but is not a release.
func checkReplaceable(out string) error {
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0:
		return nil
	case err != nil:
		return err
	}
	if _, err := os.Stat(filepath.Join(out, sumsName)); err != nil {
		return fmt.Errorf("%s has files, but no %s: remove the folder, or choose another one", out, sumsName)
	}
	return nil
}

// replace moves the folder dist to out, whose old content disappears.
func replace(out, dist string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.Rename(dist, out)
}

// printSizes prints the sizes of the files in dist and of the commands.
func printSizes(w io.Writer, dist string, builds []*build) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	files, err := walk(dist)
	if err != nil {
		return err
	}
	for _, name := range files {
		fi, err := os.Stat(filepath.Join(dist, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%s\n", name, size(fi.Size()))
	}
	for _, b := range builds {
		fmt.Fprintf(t, "the command for %s\t%s\n", b.platform, size(b.size))
	}
	return t.Flush()
}

func size(n int64) string {
	if n < 1e5 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.2f MB", float64(n)/1e6)
}
