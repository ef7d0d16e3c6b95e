// Command compare runs two builds of inpoly with the same arguments and compares their exit codes,
// standard output and files, byte by byte. compare.sh builds the two programs.
//
//	compare -old FILE -new FILE -corpus DIR [-sample N] [-points N] [-jobs N] [-filter REGEXP] [-commands REGEXP] [-intended FILE]
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("compare", flag.ExitOnError)
	old := fs.String("old", "", "the program inpoly of the old revision")
	next := fs.String("new", "", "the program inpoly of the new revision")
	corpus := fs.String("corpus", os.Getenv("INPOLY_CORPUS"), "folder of meshes with a MANIFEST.tsv")
	sample := fs.Int("sample", 0, "number of meshes; 0 means all")
	points := fs.Int("points", pointCount, "test points of a unit")
	jobs := fs.Int("jobs", 1, "units of work at the same time")
	filter := fs.String("filter", "", "regular expression for the names of units of work")
	commands := fs.String("commands", "", "regular expression for the commands")
	file := fs.String("intended", "", "file that lists intended differences")
	fs.Parse(args)
	if *points < 1 {
		return fmt.Errorf("-points %d: a unit needs a point", *points)
	}
	match, err := regexp.Compile(*filter)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(*commands)
	if err != nil {
		return err
	}
	list, err := readIntentions(*file)
	if err != nil {
		return err
	}
	work, err := units(*corpus, *sample)
	if err != nil {
		return err
	}
	work = slices.DeleteFunc(work, func(u unit) bool { return !match.MatchString(u.name) })
	c := comparison{programs: [2]string{*old, *next}, intended: list, only: only, points: *points, out: out, exits: map[string]int{}}
	if err := c.compareAll(ctx, work, *jobs); err != nil {
		return err
	}
	return c.report()
}

// compareAll runs the units of work concurrently.
func (c *comparison) compareAll(ctx context.Context, work []unit, jobs int) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start, done := time.Now(), 0
	queue := make(chan unit)
	var wg sync.WaitGroup
	var failed error
	for range max(jobs, 1) {
		wg.Go(func() {
			for u := range queue {
				err := c.unit(ctx, u)
				c.mu.Lock()
				done++
				if err != nil {
					failed = cmp.Or(failed, fmt.Errorf("%s: %w", u.name, err))
					cancel()
				}
				fmt.Fprintf(os.Stderr, "%d/%d %v %s\n", done, len(work), time.Since(start).Round(time.Second), u.name)
				c.mu.Unlock()
			}
		})
	}
	for _, u := range work {
		if ctx.Err() != nil {
			break
		}
		queue <- u
	}
	close(queue)
	wg.Wait()
	return cmp.Or(failed, ctx.Err())
}

// unit is either one mesh, or a group of meshes that one command reads together.
type unit struct {
	name  string
	paths []string
}

const groupSize = 4

// units returns one unit for each mesh in the manifest of a corpus, and one unit for each group of
// successive meshes. If sampleSize is positive, units draws sampleSize meshes and sampleSize/4
// groups at random.
func units(corpus string, sampleSize int) ([]unit, error) {
	f, err := os.Open(filepath.Join(corpus, "MANIFEST.tsv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var meshes, groups []unit
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // skip the header of the manifest
	for lines.Scan() {
		path, _, _ := strings.Cut(lines.Text(), "\t")
		meshes = append(meshes, unit{fmt.Sprintf("%04d %s", len(meshes), path), []string{filepath.Join(corpus, path)}})
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(meshes) == 0 {
		return nil, errors.New("the manifest lists no mesh")
	}
	for i := 0; i < len(meshes); i += groupSize {
		g := unit{name: fmt.Sprintf("group %04d", i)}
		for _, m := range meshes[i:min(i+groupSize, len(meshes))] {
			g.paths = append(g.paths, m.paths...)
		}
		groups = append(groups, g)
	}
	if sampleSize > 0 {
		meshes, groups = draw(meshes, sampleSize), draw(groups, (sampleSize+groupSize-1)/groupSize)
	}
	return append(meshes, groups...), nil
}

// draw returns n of the units in their original order. It chooses the units with the smallest hash
// values, so a large sample contains every smaller sample.
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
