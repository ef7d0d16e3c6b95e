package main

import (
	"fmt"
	"slices"
	"strings"
)

// paper is a paper with the text that introduces its section of the page.
type paper struct {
	letter string // first letter of the names of its experiments
	source string
	title  string
	intro  string
	main   []claim
}

var papers = []paper{
	{"P", muth2006, "Point in polyhedron", "“RC” is the ray crossing of the paper: a random ray against the box of every face, then signs of volumes, here exact. “FMM” is the paper's fast multipole method as printed, in scalar code: " +
		"near field by eq. 16 with d = 2, its own evaluation tree, degree p = ⌈½ log₂ N⌉ for N triangles, dense translations. “WC” has the depth with the fewest operations for the points. “PC” has the first depth L with N/4^L ≤ 2.6 log₂² N, which gives the depths that fit table 2 best. " +
		"Operations are floating-point operations: 10 for a box test, 100 for a face whose box the ray hits, 150 for a solid angle, 2(p+1)⁴ for a translation. “Ours” are `fmm`, rays through the tree of `raycross`, and `cells`. `inpoly make` writes the [meshes](make.md#the-figures-of-the-paper).", []claim{
		{"FMM WC beats RC for many faces and points", []string{"P[13].many"}},
		{"RC wins for simple bodies", []string{"P1.simple*"}},
		{"RC is linear in the triangles, FMM WC better than linear", []string{"P[13].rc-linear", "P[13].wc-sublinear"}},
	}},
	{"R", leszczynski2004, "Radial-distance sort", "“Novel” is the radial-distance sort of the paper. “LCM p” is its linked cell method with p particles a cell on average. Work is the number of tests, plus 0.3 for each visited cell. The particles do not move.", []claim{
		{"Novel beats LCM for small concentrations in the plane", []string{"R1.dilute-2"}},
		{"The same in space", []string{"R1.dilute-3"}},
		{"LCM beats novel for dense particles", []string{"R1.dense*"}},
		{"Novel or LCM wins as in tables 1 to 3, with wide ranges of size", []string{"R2.table*"}},
	}},
	{"V", muth2007, "Neighbor lists", "“VL” is the Verlet list, “LC” linked cells, “LLL” the linked linear list. All move copies of one world (package `dem`); their contacts agree after every step. " +
		"Work a step is: for VL tests; for LC tests plus 0.3 for each visited cell; for LLL one comparison for each end of a box and axis, plus exchanges, plus tests. The paper states no speeds and, for figure 14, no box: see the sweeps.", []claim{
		{"LC and LLL are O(n) in the plane", []string{"V1.linear"}},
		{"In space the exponents are 1.8 (VL), 1.36 (LLL) and 1.15 (LC)", []string{"V2.vl", "V2.lll", "V2.lc"}},
		{"LLL copes with wide ranges of size, LC does not", []string{"V3.rise"}},
		{"LC and LLL cross near R/r = 2.5", []string{"V3.cross"}},
	}},
	{"S", schinner1999, "Polygons", "“Work” of a call of the closest-feature algorithm is the number of pairs of features that the walk examines, plus the corners and edges that sweeps and clipping visit.", []claim{
		{"A call takes constant time", []string{"S1.flat", "S1.contact"}},
		{"A reversal takes O(N²), the next step O(N)", []string{"S2.reversal", "S2.after"}},
		{"For mixed sizes, the sort beats neighborhood lists", []string{"S2.better"}},
		{"Two threads are 1.9 times as fast", []string{"S3.*"}},
		{"Heaps of round particles are much flatter", []string{"S4.repose"}},
	}},
	{"H", ogarko2012, "Hierarchical grid", "“Cells” is the algorithm of the paper: cells in hash tables on every level, boxes before balls, nothing pruned. With one level it is the linked cell method. Work is tests plus K = 0.3 for each visited cell. " +
		"ω is the ratio of the largest to the smallest radius, ν the volume fraction, L the number of levels, m the particles per cell; UV is uniform volume (number density ∝ r⁻³), US uniform size. “Ours” is `neighbor.HierarchicalGrid`, which prunes.", []claim{
		{"Levels save orders of magnitude for UV", []string{"H1.orders"}},
		{"A step with one level takes 220 times as long", []string{"H1.uv-gain"}},
		{"Two levels are 30 % faster than one for US", []string{"H1.us-gain"}},
		{"The work is O(N)", []string{"H2.linear"}},
		{"Eq. 7 predicts the work for UV", []string{"H1.eq7-UV"}},
		{"Eq. 7 predicts the work for US", []string{"H1.eq7-US"}},
	}},
}

// wholePage returns the page of all results.
func wholePage(all []found) string {
	var b strings.Builder
	b.WriteString("# The experiments of five papers, repeated\n\n")
	origin := all[0].Origin
	size, _, _ := strings.Cut(strings.TrimPrefix(origin[headSize], "size "), ",")
	if size != Paper.String() {
		fmt.Fprintf(&b, "**These results are from `--size %s`: fewer triangles, points and particles than in the papers.**\n\n", size)
	}
	b.WriteString("The main claims of each paper, whether they hold, and everything that does not:\n\n")
	for _, p := range papers {
		if list := statementsOf(p, all); len(list) > 0 {
			b.WriteString("- " + p.summary(list) + "\n")
		}
	}
	b.WriteString("\n" + howTo + "\n\n")
	for _, line := range origins(all) {
		fmt.Fprintf(&b, "%s: size %s, %s.\n", line.which, size, line.text)
	}
	for _, p := range papers {
		if list := statementsOf(p, all); len(list) > 0 {
			b.WriteString("\n" + p.section(list, all))
		}
	}
	return b.String()
}

// origin is the machine, the Go version and the commit of some runs.
type origin struct {
	which string // the runs
	text  string
}

// origins returns the origins of all results. The one with the most runs comes last and does not list
// them.
func origins(all []found) []origin {
	var list []origin
	names := map[string][]string{}
	for _, f := range all {
		text := strings.Join(f.Origin[headMachine:], ", ")
		if names[text] == nil {
			list = append(list, origin{text: text})
		}
		names[text] = append(names[text], f.Name)
	}
	slices.SortStableFunc(list, func(a, b origin) int { return len(names[a.text]) - len(names[b.text]) })
	for k := range list {
		list[k].which = strings.Join(names[list[k].text], " ")
	}
	last := &list[len(list)-1]
	last.which = "All other runs"
	if len(list) == 1 {
		last.which = "All runs"
	}
	return list
}

const howTo = `Each row has one statement of a paper; the limit of its verdict is in parentheses. **Counts decide**
wherever they can: tests, exchanges, visited cells, operations, angles. They are the same in every run.
Counts with our weights also decide claims about time, beside our times. Where a row says “time”, at least
five processes must agree (median and range are shown), and on a busy machine the verdict is
*inconclusive*. Statements that the paper does not make, or that were fitted to it, are *not counted*.

    cd repro
    go run . all --size paper --out results    # an interrupted run continues
    go run . report --from results             # writes this page
    go run . verify-verdicts                   # five runs of --size small: no yes may become a no

The folder [results](results) has all data, and all rows in [statements.csv](results/statements.csv). An
exponent q means growth with the q-th power of the size.`

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

// anchor returns the anchor of a heading.
func anchor(title string) string { return strings.ToLower(strings.ReplaceAll(title, " ", "-")) }

// section returns the section of a paper: the statements, the charts, the tables, links to the data of
// all tables, and the notes.
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
		holds := fmt.Sprintf("**%s** (%s%s)", s.Verdict, s.Criterion, decides)
		if s.Uncounted != "" {
			holds += ", not counted: " + s.Uncounted
		}
		cells := []string{s.ID, s.Paper, s.Ours, holds, why}
		for i := range cells {
			cells[i] = readable(cells[i])
		}
		b.WriteString("|" + strings.Join(cells, "|") + "|\n")
	}
	notes, tables := "", []string{}
	for _, f := range all {
		if !strings.HasPrefix(f.Name, p.letter) {
			continue
		}
		for _, figure := range f.Figures {
			fmt.Fprintf(&b, "\n![%s](results/%s.svg)\n", figure.Title, figure.Name)
		}
		for _, t := range f.Tables {
			if t.Markdown != "" {
				b.WriteString("\n" + t.Markdown)
			}
			tables = append(tables, fmt.Sprintf("[%s](results/%s.csv)", t.Name, t.Name))
		}
		for _, n := range f.Notes {
			notes += fmt.Sprintf("- %s: %s\n", f.Name, n)
		}
	}
	if len(tables) > 0 {
		b.WriteString("\nTables: " + strings.Join(tables, ", ") + ".\n")
	}
	if notes != "" {
		b.WriteString("\n" + notes)
	}
	return b.String()
}
