// Platforms checks the types of all packages of a module on other platforms, each as GOOS/GOARCH. It needs
// no compiler for them, so it takes a tenth of the time of a build. A build also finds errors in assembly and
// in the linker. Platforms prints all errors and exits with code 1 if there are any.
//
//	go run ./platforms [-dir folder] [-packages pattern,...] windows/386 darwin/arm64
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir := flag.String("dir", "..", "folder of the module")
	patterns := flag.String("packages", "./...", "patterns of packages, separated by commas")
	flag.Parse()
	failed := flag.NArg() == 0
	if failed {
		fmt.Fprintln(os.Stderr, "platforms: name at least one platform, such as windows/386")
	}
	for _, platform := range flag.Args() {
		n, err := check(*dir, platform, strings.Split(*patterns, ","))
		if err != nil {
			failed = true
			fmt.Fprintf(os.Stderr, "%s:\n%v\n", platform, err)
			continue
		}
		fmt.Printf("%s: no type errors, packages: %d\n", platform, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check checks the packages of the module in dir that match the patterns. It returns the number of these
// packages. These packages may import other packages, which are checked without the bodies of their
// functions.
func check(dir, platform string, patterns []string) (int, error) {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return 0, errors.New("a platform is GOOS/GOARCH")
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	list, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedModule,
		Dir: root,
		Env: append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0"),
		ParseFile: func(set *token.FileSet, name string, src []byte) (*ast.File, error) {
			f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
			if f != nil && !strings.HasPrefix(name, root+string(filepath.Separator)) {
				removeBodies(f)
			}
			return f, err
		},
	}, patterns...)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, errors.New("no packages")
	}
	var errs []error
	for _, p := range list { // without the bodies of functions, other packages have unused imports
		for _, e := range p.Errors {
			errs = append(errs, e)
		}
	}
	return len(list), errors.Join(errs...)
}

// removeBodies removes the bodies of functions. Their packages still have the same interface.
func removeBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
