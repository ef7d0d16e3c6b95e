package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// paper is a paper with the texts of its page.
type paper struct {
	letter   string // first letter of the names of its experiments
	source   string
	file     string // name of its page, without suffix
	title    string
	intro    string // the words of the page
	headline claim  // the row of the paper on the first page
	main     []claim
	picture  string // name of the figure at the top of its page
}

var papers = []paper{
	{
		letter: "P", source: muth2006, file: "muth-of-2006", title: "Point in polyhedron", picture: "P1-fig10",
		intro: "“RC” is the ray crossing of the paper: a random ray against the box of every face, then signs of volumes, here exact. “FMM” is the paper's fast multipole method as printed, in scalar code: " +
			"near field by eq. 16 with d = 2, its own evaluation tree, degree p = ⌈½ log₂ N⌉ for N triangles, dense translations. “WC” has the depth with the fewest operations for the points. “PC” has the first depth L with N/4^L ≤ 2.6 log₂² N, which gives the depths that fit table 2 best. " +
			"Operations are floating-point operations: 10 for a box test, 100 for a face whose box the ray hits, 150 for a solid angle, 2(p+1)⁴ for a translation. “Without assembly” is Go code without vector instructions. “Ours” are `fmm`, rays through the tree of `raycross`, and `cells`. `inpoly make` writes the [meshes](../make.md#the-figures-of-the-paper).",
		headline: claim{"The multipole method beats ray crossing for many faces and points", []string{"P1.many", "P3.many"}, "ray crossing needs %s (131,072 triangles, 80³ points)"},
		main: []claim{
			{"The multipole method (FMM) beats ray crossing (RC) for many faces and points", []string{"P1.many", "P3.many"}, "RC needs %s (131,072 triangles, 80³ points)"},
			{"RC wins for simple bodies", []string{"P1.simple*"}, "PC needs %s (10³ points), %s (80³)"},
			{"RC is linear in the triangles", []string{"P[13].rc-linear"}, "%s"},
			{"FMM at its best depth (WC) is better than linear in the triangles", []string{"P[13].wc-sublinear"}, "%s"},
			{"For few points the set-up dominates FMM at a depth chosen before (PC)", []string{"P[13].set-up"}, "set-up: %s of the operations"},
			{"With variable order the work has no logarithms", []string{"P1.variable"}, "%s of the work over the triangles"},
			{"Eqs. 12, 26 and 27 bound the errors", []string{"P4.eq12", "P4.eq26", "P4.bound"}, "largest errors: %s, %s, %s"},
			{"Both methods are correct", []string{"P[13].correct"}, "%s"},
		},
	},
	{
		letter: "R", source: leszczynski2004, file: "leszczynski-2004", title: "Radial-distance sort", picture: "R1-fig2-2d",
		intro:    "“Novel” is the radial-distance sort of the paper. “LCM p” is its linked cell method with p particles a cell on average. Work is the number of tests, plus 0.3 for each visited cell. The particles do not move.",
		headline: claim{"The sort by distance beats linked cells for small concentrations (in the plane)", []string{"R1.dilute-2"}, "the sort takes %s (1,000,000 disks)"},
		main: []claim{
			{"The sort (novel) beats linked cells (LCM) for small concentrations in the plane", []string{"R1.dilute-2"}, "novel takes %s (1,000,000 disks)"},
			{"The same in space", []string{"R1.dilute-3"}, "novel takes %s (1,000,000 balls)"},
			{"LCM beats novel for dense particles", []string{"R1.dense"}, "novel needs %s"},
			{"Wide ranges of size cost LCM, not novel", []string{"R2.dispersion"}, "%s"},
			{"Table 1: LCM wins with 100 particles a cell, novel with others", []string{"R2.table1"}, "%s of novel"},
			{"Table 2: novel wins", []string{"R2.table2"}, "%s of novel"},
			{"Table 3: novel wins with one large particle", []string{"R2.table3"}, "%s of novel"},
		},
	},
	{
		letter: "V", source: muth2007, file: "muth-mueller-2007", title: "Neighbor lists", picture: "V3-fig16-work",
		intro: "“VL” is the Verlet list, “LC” linked cells, “LLL” the linked linear list. All move copies of one world (package `dem`); their contacts agree after every step. " +
			"Work a step is: for VL tests; for LC tests plus 0.3 for each visited cell; for LLL one comparison for each end of a box and axis, plus exchanges, plus tests. The paper states no speeds and, for figure 14, no box: see the sweeps.",
		headline: claim{"Wide ranges of size cost linked cells (LC) far more than the linked linear list", []string{"V3.rise"}, "%s"},
		main: []claim{
			{"Wide ranges of size cost linked cells (LC) far more than the linked linear list (LLL)", []string{"V3.rise"}, "%s"},
			{"LC and LLL are O(n) in the plane", []string{"V1.linear"}, "%s"},
			{"The Verlet list (VL) has the exponent 1.8 in space", []string{"V2.vl"}, "%s of the work"},
			{"LLL has the exponent 1.36 in space", []string{"V2.lll"}, "%s of the work"},
			{"LC has the exponent 1.15 in space", []string{"V2.lc"}, "%s of the work"},
			{"LC and LLL cross near R/r = 2.5", []string{"V3.cross"}, "%s"},
			{"Verlet's integrator needs no velocities", []string{"V4.verlet"}, "paths %s"},
		},
	},
	{
		letter: "S", source: schinner1999, file: "schinner-1999", title: "Polygons", picture: "S1-fig11",
		intro:    "“Work” of a call of the closest-feature algorithm is the number of pairs of features that the walk examines, plus the corners and edges that sweeps and clipping visit.",
		headline: claim{"The distance of two polygons takes constant time", []string{"S1.flat"}, "%s of the work over the corners"},
		main: []claim{
			{"A call takes constant time for polygons apart", []string{"S1.flat"}, "%s"},
			{"A call takes constant time in contact", []string{"S1.contact"}, "%s"},
			{"A reversal takes O(N²)", []string{"S2.reversal"}, "%s"},
			{"The next step takes O(N) again", []string{"S2.after"}, "%s"},
			{"For mixed sizes, the sort beats neighborhood lists", []string{"S2.better"}, "the lists need %s"},
			{"Two threads are 1.9 times as fast", []string{"S3.threads"}, "%s"},
			{"Heaps of round particles are much flatter", []string{"S4.repose"}, "%s of angular particles"},
		},
	},
	{
		letter: "H", source: ogarko2012, file: "ogarko-2012", title: "Hierarchical grid", picture: "H1-UV",
		intro: "“Cells” is the algorithm of the paper: cells in hash tables on every level, boxes before balls, nothing pruned. With one level it is the linked cell method. Work is tests plus K = 0.3 for each visited cell. " +
			"ω is the ratio of the largest to the smallest radius, ν the volume fraction, L the number of levels, m the particles per cell; UV is uniform volume (number density ∝ r⁻³), US uniform size. “Ours” is `neighbor.HierarchicalGrid`, which prunes.",
		headline: claim{"A step with levels of cells is 220 times as fast as with linked cells (size ratio 50, many small balls)", []string{"H1.uv-gain"}, "%s as fast"},
		main: []claim{
			{"A step with 8 levels is 220 times as fast as with one (UV: uniform volume)", []string{"H1.uv-gain"}, "%s as fast"},
			{"Levels save orders of magnitude of the search (UV)", []string{"H1.orders"}, "one level needs %s"},
			{"Two levels are 30 % faster than one (US: uniform size)", []string{"H1.us-gain"}, "one level takes %s"},
			{"The work is O(N)", []string{"H2.linear"}, "%s"},
			{"Eq. 7 predicts the work (UV)", []string{"H1.eq7-UV"}, "off by a %s, limit 1.4"},
			{"Eq. 7 predicts the work (US)", []string{"H1.eq7-US"}, "off by a %s, limit 1.4"},
			{"Elongated bodies cost more", []string{"H1.elongated"}, "ellipsoids of 10:1 need %s of balls"},
			{"Periodic boundaries are simple", []string{"H1.periodic"}, "%s found"},
		},
	},
}

// origin is the machine, the Go version and the commit of some runs.
type origin struct {
	which string // the runs
	text  string
}

// origins returns the origins of all results. The origin with the most runs comes last, and its runs
// are not listed.
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

const howTo = `Each row of a page has one statement of a paper; the limit of its verdict is beside it. **Counts decide**
wherever they can: tests, exchanges, visited cells, operations, angles, instructions and cache misses of a simulated
processor. They are the same in every run. Where a row says “time”, at least five processes must agree, and on a
busy machine the verdict is *inconclusive*. Statements that the paper does not make, or that were fitted to it, are
*not counted*. An exponent q means growth with the q-th power of the size.

    cd evidence/repro
    go run . all --size paper --out results    # an interrupted run continues
    go run . report --from results             # writes these pages
    go run . verify-verdicts                   # five runs of --size small: no verdict may change between yes and no

The folder [results](results) has all data, and all rows in [statements.csv](results/statements.csv).`

// picture is the name of the figure on the first page.
const picture = "P1-fig10"

// firstPage returns the page with one row for each paper, and with the undecided statements. The folder
// has the other pages.
func firstPage(all []found, folder string) string {
	var b strings.Builder
	b.WriteString("# The experiments of five papers, repeated\n\n")
	origin := all[0].Origin
	size, _, _ := strings.Cut(strings.TrimPrefix(origin[headSize], "size "), ",")
	if size != Paper.String() {
		fmt.Fprintf(&b, "**These results are from `--size %s`: fewer triangles, points and particles than in the papers.**\n\n", size)
	}
	b.WriteString("|paper|claim|holds|we found|\n|---|---|---|---|\n")
	var counted, holds, fails, open, apart int
	undecided := ""
	for _, p := range papers {
		list := statementsOf(p, all)
		if len(list) == 0 {
			continue
		}
		link := folder + "/" + p.file + ".md"
		answer, number := p.headline.answer(list)
		fmt.Fprintf(&b, "|[%s](%s)|%s|%s|%s|\n", p.source, link, p.headline.text, answer, number)
		for _, s := range list {
			switch {
			case s.Uncounted != "":
				apart++
			case s.Verdict == Inconclusive || s.Verdict == Unmeasured:
				open++
				undecided += fmt.Sprintf("- [%s](%s): %s. %s\n", s.ID, link, s.Phrase, capital(s.Why))
			case s.Verdict == Yes:
				holds++
			case s.Verdict == No:
				fails++
			}
			counted += one(s.Uncounted == "")
		}
	}
	for _, f := range all {
		for _, x := range f.Figures {
			if x.Name == picture {
				fmt.Fprintf(&b, "\n![%s](%s/%s.svg)\n", x.Title, folder, x.Name)
			}
		}
	}
	b.WriteString("\n## Undecided\n\n")
	if undecided == "" {
		undecided = "Nothing.\n"
	}
	b.WriteString(undecided)
	fmt.Fprintf(&b, "\n## How\n\nOf %d statements of the papers, %d hold, %d do not, and %d are undecided. %d more are not counted.\n%s\n\n", counted, holds, fails, open, apart, howTo)
	for _, line := range origins(all) {
		fmt.Fprintf(&b, "%s: size %s, %s.\n", line.which, size, line.text)
	}
	return b.String()
}

// capital returns a sentence with a capital letter at its beginning.
func capital(sentence string) string {
	r, n := utf8.DecodeRuneInString(sentence)
	if n == 0 || unicode.Is(unicode.Greek, r) {
		return sentence
	}
	return string(unicode.ToUpper(r)) + sentence[n:]
}

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

// page returns the page of a paper: the main claims with a picture, what does not hold, all statements, the
// charts, the tables, links to the data of all tables, and the notes. back is the path of the first page.
func (p paper) page(list []Statement, all []found, back string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s. [All papers](%s)\n\n|claim|holds|we found|rows|\n|---|---|---|---|\n", p.title, p.source, back)
	for _, c := range p.main {
		if answer, number := c.answer(list); answer != "" {
			fmt.Fprintf(&b, "|%s|%s|%s|%s|\n", c.text, answer, number, strings.Join(c.rows(list), ", "))
		}
	}
	own := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return !strings.HasPrefix(f.Name, p.letter) })
	for _, f := range own {
		for _, figure := range f.Figures {
			if figure.Name == p.picture {
				fmt.Fprintf(&b, "\n![%s](%s.svg)\n", figure.Title, figure.Name)
			}
		}
	}
	b.WriteString(doesNotHold(list))
	fmt.Fprintf(&b, "\n## Words\n\n%s\n\n## All statements\n\n", p.intro)
	b.WriteString("||the paper|ours|holds|why different|\n|---|---|---|---|---|\n")
	for _, s := range list {
		decides := ""
		if s.Decides == Time {
			decides = ", time"
		}
		why := capital(s.Why)
		if s.Cause != Agrees {
			why = strings.TrimSpace("*" + string(s.Cause) + ".* " + why)
		}
		holds := fmt.Sprintf("**%s**: %s%s", s.Verdict, s.Criterion, decides)
		if s.Uncounted != "" {
			holds += ", not counted: " + s.Uncounted
		}
		cells := []string{s.ID, s.Paper, s.Ours, holds, why}
		for i := range cells {
			cells[i] = readable(cells[i])
		}
		b.WriteString("|" + strings.Join(cells, "|") + "|\n")
	}
	b.WriteString("\n## Pictures, tables and notes\n")
	notes, tables := "", []string{}
	for _, f := range own {
		for _, figure := range f.Figures {
			if figure.Name != p.picture {
				fmt.Fprintf(&b, "\n![%s](%s.svg)\n", figure.Title, figure.Name)
			}
		}
		for _, t := range f.Tables {
			if t.Markdown != "" {
				b.WriteString("\n" + t.Markdown)
			}
			tables = append(tables, fmt.Sprintf("[%s](%s.csv)", t.Name, t.Name))
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

// doesNotHold lists the statements that do not hold, with the cause. It omits statements that do
// not count as evidence.
func doesNotHold(list []Statement) string {
	text := ""
	for _, s := range list {
		if s.Verdict == No && s.Uncounted == "" {
			cause := ""
			if s.Cause != Fails {
				cause = " *" + string(s.Cause) + ".*"
			}
			text += fmt.Sprintf("- %s: %s. Here %s.%s\n", s.ID, s.Phrase, firstClause(s.Ours), cause)
		}
	}
	if text == "" {
		return ""
	}
	return "\n## What does not hold\n\n" + text
}

// pages returns all pages by path. The first page covers all papers. The other pages are in the folder
// results beside it.
func pages(all []found, first string) map[string]string {
	const folder = "results"
	list := map[string]string{first: firstPage(all, folder)}
	for _, p := range papers {
		if own := statementsOf(p, all); len(own) > 0 {
			list[filepath.Join(filepath.Dir(first), folder, p.file+".md")] = p.page(own, all, "../"+filepath.Base(first))
		}
	}
	return list
}
