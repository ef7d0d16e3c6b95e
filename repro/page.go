package main

import (
	"fmt"
	"strings"
)

// paper is a paper with the text that introduces its section of the page.
type paper struct {
	letter string // first letter of the names of its experiments
	source string
	title  string
	intro  string
}

var papers = []paper{
	{"P", muth2006, "Point in polyhedron", "“RC” is the ray crossing of the paper: a random ray against the box of every face, then signs of volumes, here exact. “FMM” is the paper's fast multipole method as printed, in scalar code: " +
		"near field by eq. 16 with d = 2, its own evaluation tree, degree p = ⌈½ log₂ N⌉ for N triangles, dense translations. “WC” has the depth with the fewest operations for the points. “PC” has the first depth L with N/4^L ≤ 10 log₂² N, which gives the depths that table 2 implies. " +
		"Operations are floating-point operations: 10 for a box test, 100 for a face whose box the ray hits, 150 for a solid angle, 2(p+1)⁴ for a translation. “Ours” are `fmm`, rays through the tree of `raycross`, and `cells`."},
	{"R", leszczynski2004, "Radial-distance sort", "“Novel” is the radial-distance sort of the paper. “LCM p” is its linked cell method with p particles a cell on average. Work is the number of tests, plus 0.3 for each visited cell. The particles do not move."},
	{"V", muth2007, "Neighbor lists", "“VL” is the Verlet list, “LC” linked cells, “LLL” the linked linear list. All move copies of one world (package `dem`); their contacts agree after every step. " +
		"Work a step is: for VL tests; for LC tests plus 0.3 for each visited cell; for LLL one comparison for each end of a box and axis, plus exchanges, plus tests. The paper states no speeds and, for figure 14, no box: see the sweeps."},
	{"S", schinner1999, "Polygons", "“Work” of a call of the closest-feature algorithm is the number of pairs of features that the walk examines, plus the corners and edges that sweeps and clipping visit."},
	{"H", ogarko2012, "Hierarchical grid", "“Cells” is the algorithm of the paper: cells in hash tables on every level, boxes before balls, nothing pruned. With one level it is the linked cell method. Work is tests plus K = 0.3 for each visited cell. " +
		"ω is the ratio of the largest to the smallest radius, ν the volume fraction, L the number of levels, m the particles per cell; UV is uniform volume (number density ∝ r⁻³), US uniform size. “Ours” is `neighbor.HierarchicalGrid`, which prunes."},
}

// wholePage returns the page of all results.
func wholePage(all []found) string {
	var b strings.Builder
	b.WriteString("# The experiments of five papers, repeated\n\n")
	origin := all[0].Origin
	size, _, _ := strings.Cut(strings.TrimPrefix(origin[headSize], "size "), ",")
	if size != Paper.String() {
		fmt.Fprintf(&b, "**These results are from `--size %s`, which has fewer and smaller bodies than the papers.**\n\n", size)
	}
	b.WriteString("What holds today, in one sentence a paper:\n\n")
	for _, p := range papers {
		if list := statementsOf(p, all); len(list) > 0 {
			b.WriteString("- " + p.sentence(list) + "\n")
		}
	}
	b.WriteString("\n" + howTo + "\n\n")
	origins := map[string]string{}
	var order []string
	for _, f := range all {
		text := strings.Join(f.Origin[headMachine:], ", ")
		if origins[text] == "" {
			order = append(order, text)
		}
		origins[text] += " " + f.Name
	}
	for _, text := range order {
		which := "All runs"
		if len(order) > 1 {
			which = strings.TrimSpace(origins[text])
		}
		fmt.Fprintf(&b, "%s: size %s, %s.\n", which, size, text)
	}
	for _, p := range papers {
		if list := statementsOf(p, all); len(list) > 0 {
			b.WriteString("\n" + p.section(list, all))
		}
	}
	return b.String()
}

const howTo = `Each table has one row a statement: what the paper says, what we found, whether it holds (with the
limit in parentheses), and why we differ. **Counts decide** wherever the statement is about
complexity: tests, exchanges, visited cells, operations. They are the same in every run on every
machine. **Times** only confirm, except where a row says “time”: then at least five processes must
agree (median, smallest and largest are shown), and the verdict is *inconclusive* on a busy machine.
The causes are: *the paper's parameters are unknown*, *our kernel differs*, *noise*, *does not hold*.

    cd repro
    go run . all --size paper --out results    # an interrupted run continues
    go run . report --from results             # writes this page, pictures and data
    go run . verify-verdicts                   # five runs of --size small: no verdict may change

The data of each chart are in a CSV file beside it in [results](results), and all rows with their
limits in [statements.csv](results/statements.csv). An exponent q means that a quantity grows as the
q-th power of the size.`

// statementsOf returns the statements of a paper.
func statementsOf(p paper, all []found) []Statement {
	var list []Statement
	for _, f := range all {
		if strings.HasPrefix(f.Name, p.letter) {
			list = append(list, f.Statements...)
		}
	}
	return list
}

// sentence returns what holds today of a paper, in one sentence. Statements that do not hold are
// grouped by their causes.
func (p paper) sentence(list []Statement) string {
	decided, yes := 0, 0
	groups := map[string][]string{}
	for _, s := range list {
		key := string(s.Verdict)
		switch s.Verdict {
		case Yes:
			decided, yes = decided+1, yes+1
		case No:
			decided++
			key += string(s.Cause)
		}
		if s.Phrase != "" {
			groups[key] = append(groups[key], s.Phrase)
		}
	}
	text := fmt.Sprintf("[**%s**](#%s): %d of %d decided statements hold", p.source, anchor(p.title), yes, decided)
	for _, g := range []struct{ key, name string }{
		{string(Yes), "these hold"},
		{string(No) + string(Fails), "these do not"},
		{string(No) + string(Kernel), "not with our kernel"},
		{string(No) + string(Parameters), "not with the parameters here, as those of the paper are unknown"},
		{string(Inconclusive), "undecided"},
		{string(Unchecked), "not checked at this size"},
	} {
		if len(groups[g.key]) > 0 {
			text += "; *" + g.name + ":* " + strings.Join(groups[g.key], ", ")
		}
	}
	return text + "."
}

// anchor returns the anchor of a heading.
func anchor(title string) string { return strings.ToLower(strings.ReplaceAll(title, " ", "-")) }

// section returns the section of a paper: the statements, the charts, the tables and the notes.
func (p paper) section(list []Statement, all []found) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s. %s\n\n", p.title, p.source, p.intro)
	b.WriteString("||the paper|ours|holds|why different|\n|---|---|---|---|---|\n")
	for _, s := range list {
		decides := ""
		if s.Decides == Time {
			decides = ", time"
		}
		why := s.Why
		if s.Cause != Agrees {
			why = strings.TrimSpace("*" + string(s.Cause) + ".* " + why)
		}
		cells := []string{s.ID, s.Paper, s.Ours, fmt.Sprintf("**%s** (%s%s)", s.Verdict, s.Criterion, decides), why}
		for i := range cells {
			cells[i] = readable(cells[i])
		}
		b.WriteString("|" + strings.Join(cells, "|") + "|\n")
	}
	notes := ""
	for _, f := range all {
		if !strings.HasPrefix(f.Name, p.letter) {
			continue
		}
		for _, figure := range f.Figures {
			fmt.Fprintf(&b, "\n![%s](results/%s.svg)\n", figure.Title, figure.Name)
		}
		for _, t := range f.Tables {
			b.WriteString("\n" + t)
		}
		for _, n := range f.Notes {
			notes += fmt.Sprintf("- %s: %s\n", f.Name, n)
		}
	}
	if notes != "" {
		b.WriteString("\n" + notes)
	}
	return b.String()
}
