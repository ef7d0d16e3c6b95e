package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// unit is a piece of work: one mesh, or several for assemblies.
type unit struct {
	name  string
	paths []string // below the corpus
}

// groupSize is the number of meshes of an assembly.
const groupSize = 4

// units returns the work that a corpus gives. With sample > 0 it returns that many meshes,
// drawn at random, and a fourth as many groups; the larger a sample, the more it
// contains of a smaller one.
func units(corpus string, sample int) ([]unit, error) {
	f, err := os.Open(filepath.Join(corpus, "MANIFEST.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var meshes, groups []unit
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	sc.Scan() // the header
	for sc.Scan() {
		path, _, _ := strings.Cut(sc.Text(), "\t")
		meshes = append(meshes, unit{fmt.Sprintf("%04d %s", len(meshes), path), []string{path}})
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	if len(meshes) == 0 {
		return nil, errors.New("no mesh in the manifest")
	}
	for i := 0; i < len(meshes); i += groupSize {
		g := unit{name: fmt.Sprintf("group %04d", i)}
		for _, m := range meshes[i:min(i+groupSize, len(meshes))] {
			g.paths = append(g.paths, m.paths...)
		}
		groups = append(groups, g)
	}
	if sample > 0 {
		meshes, groups = draw(meshes, sample), draw(groups, (sample+groupSize-1)/groupSize)
	}
	return append(meshes, groups...), nil
}

// draw returns n units, chosen by a hash of their names, in their order.
func draw(all []unit, n int) []unit {
	hash := func(u unit) uint64 {
		h := fnv.New64a()
		h.Write([]byte(u.name + "#"))
		return h.Sum64() * 0x9E3779B97F4A7C15
	}
	order := slices.Clone(all)
	slices.SortFunc(order, func(a, b unit) int { return cmp.Compare(hash(a), hash(b)) })
	order = order[:min(n, len(order))]
	slices.SortFunc(order, func(a, b unit) int { return cmp.Compare(a.name, b.name) })
	return order
}

// file returns the name of the file with the record of a unit.
func (u unit) file() string {
	plain := func(r rune) rune {
		if r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-') {
			return r
		}
		return '_'
	}
	name := strings.Map(plain, u.name)
	if len(name) > 120 {
		name = name[:60] + "_" + name[len(name)-59:]
	}
	return name + ".tsv"
}

// ask answers for u. A panic is recorded as an answer.
func (u unit) ask(ctx context.Context, corpus string, work int64, r *record) {
	c := &collector{record: r, ctx: ctx, name: u.name, work: work}
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(os.Stderr, "%s: panic: %v\n%s", u.name, v, debug.Stack())
			r.text("panic", "panic")
		}
	}()
	if len(u.paths) == 1 {
		c.mesh(filepath.Join(corpus, u.paths[0]))
		return
	}
	paths := make([]string, len(u.paths))
	for i, p := range u.paths {
		paths[i] = filepath.Join(corpus, p)
	}
	c.group(paths)
}

func run(args []string) error {
	fs := flag.NewFlagSet("run", flag.ExitOnError)
	corpus := fs.String("corpus", os.Getenv("INPOLY_CORPUS"), "folder of meshes with a MANIFEST.tsv")
	out := fs.String("out", "", "folder for the records")
	sample := fs.Int("sample", 0, "number of meshes; 0 means all")
	jobs := fs.Int("jobs", 1, "units of work at the same time")
	work := fs.Int64("work", 2e9, "limit of triangles × points of a batch for the method direct")
	filter := fs.String("filter", "", "regular expression for the names of units")
	values := fs.String("values", "", "folder for the values of the groups of -groups")
	groups := fs.String("groups", "", "file with the names of groups, a line each")
	fs.Parse(args)
	if *corpus == "" || *out == "" {
		return errors.New("run: -corpus and -out are required")
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	wanted, err := readSet(*groups)
	if err != nil {
		return err
	}
	all, err := units(*corpus, *sample)
	if err != nil {
		return err
	}
	match, err := regexp.Compile(*filter)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(u unit) bool { return !match.MatchString(u.name) })
	return runUnits(all, *jobs, *out, func(u unit, r *record) error {
		r.values, r.wanted = *values, wanted
		u.ask(context.Background(), *corpus, *work, r)
		return r.err
	})
}

func runUnits(all []unit, jobs int, out string, ask func(unit, *record) error) error {
	start := time.Now()
	var mu sync.Mutex
	var failed error
	done := 0
	queue := make(chan unit)
	var wg sync.WaitGroup
	for range max(jobs, 1) {
		wg.Go(func() {
			for u := range queue {
				path := filepath.Join(out, u.file())
				if _, err := os.Stat(path); err != nil {
					r := new(record)
					if err = ask(u, r); err == nil {
						err = writeWhole(path, strings.Join(r.lines, "\n")+"\n")
					}
					mu.Lock()
					failed = cmp.Or(failed, err)
					mu.Unlock()
				}
				mu.Lock()
				done++
				fmt.Fprintf(os.Stderr, "%d/%d %v %s\n", done, len(all), time.Since(start).Round(time.Second), u.name)
				mu.Unlock()
			}
		})
	}
	for _, u := range all {
		queue <- u
	}
	close(queue)
	wg.Wait()
	return failed
}

// writeWhole writes a file, or none.
func writeWhole(path, text string) error {
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func readSet(path string) (map[string]bool, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		set[strings.TrimSuffix(line, "\n")] = true
	}
	return set, nil
}
