package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// bannedNames lists words that must not occur in names declared in Go code, each with the word to
// use instead. The banned words are metaphors that a reader would have to learn. nameWords divides
// a name into words.
var bannedNames = map[string]string{
	"way":       "strategy, or the method itself",
	"ways":      "strategies, methods",
	"spare":     "budget",
	"veil":      "cap potential",
	"veiled":    "near a hole",
	"hand":      "by ray, fallback; worker",
	"handed":    "by ray, fallback",
	"settler":   "propagator",
	"linker":    "labeler",
	"referrer":  "reference chooser",
	"board":     "halo mask",
	"misfit":    "mismatch",
	"asker":     "sampler, batch worker",
	"searched":  "must",
	"abandon":   "detach",
	"stoppable": "gate progress",
	"recipe":    "plan",
	"buried":    "clipped part",
	"bury":      "clip",
	"receipt":   "shard result",
	"grower":    "builder",
	"growing":   "target",
	"turning":   "winding bounds",
}

// wholeNames lists names that types, functions and package-level variables must not have, each with
// the name to use instead. Local variables can have these names, and longer names can contain them.
var wholeNames = map[string]string{
	"gone":       "noGrid",
	"goOn":       "resume",
	"stretch":    "byteRange",
	"ending":     "finalStep",
	"nearestYet": "best",
	"meeting":    "hit",
	"faint":      "belowHalf",
}

// bannedWords lists patterns of words, in lower case, that must not occur in texts. The banned
// words are British spellings, or words of this project that have a standard term.
var bannedWords = []struct{ use, pattern string }{
	{"center", `centre|^centring$`},
	{"neighbor", `neighbour`},
	{"color", `colour`},
	{"meter", `^(centi|milli|kilo|micro)?metres?$`},
	{"-ize", `(normal|serial|recogn|real|organ|optim|minim|maxim|initial|general|parametr|discret|linear|special|util|quant|summar|visual|emphas|synchron|vector|token|author|character|capital|equal|formal|local|memor|penal|regular|stabil|standard|symmetr)is(e|es|ed|ing|able|ation|ations|er|ers)$`},
	{"analyze", `^analys(e|ed|er|ing)$`},
	{"behavior", `behaviour`},
	{"gray", `^grey`},
	{"labeled", `labell(ed|ing|er|ers)$`},
	{"canceled", `^cancell(ed|ing|er)$`},
	{"modeled", `^modell(ed|ing|er)$`},
	{"traveled", `^travell(ed|ing|er)$`},
	{"signaled", `^signall(ed|ing)$`},
	{"license", `licence`},
	{"catalog", `catalogue`},
	{"favor", `favour`},
	{"defense", `^(defence|offence|pretence)$`},
	{"judgment", `^judgement`},
	{"an American spelling", `^(misspelt|spelt|learnt|burnt|whilst|amongst|programmes?|skilful|fulfil)$`},
	{"cap potential", `veil(ed)?$`},
	{"propagator", `^settler`},
	{"reference chooser", `^referrer`},
	{"mismatch", `^misfit`},
}

var bannedPhrases = []struct{ use, phrase string }{
	{"// tuning", "A choice."},
	{"// tuning", "a choice."},
}

// exceptions lists texts, in lower case, that can contain banned words, because they are names from
// outside this project.
var exceptions = []string{
	"licence\t",          // a column in the manifest of the corpus
	`"licence"`,          // a column name in Go code
	"`licence`",          // a column name in documents
	"jobstate_cancelled", // a name of Apache Beam
	"-locale us",         // a line of the Makefile with words that the spelling checker ignores
}

// quoting lists the files that explain banned words. These files can contain banned words.
var quoting = []string{
	"internal/arch/words_test.go",
	"CONTRIBUTING.md",
}

func TestWords(t *testing.T) {
	words, files := newWordList(), 0
	err := walkTexts(func(rel, text string) {
		files++
		for n, line := range strings.Split(text, "\n") {
			if word, use := words.find(line); word != "" {
				t.Errorf("%s:%d: %q: use %s", rel, n+1, word, use)
			}
		}
		if strings.HasSuffix(rel, ".go") {
			checkNames(t, rel, text)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Errorf("%d files: the test looks in the wrong place", files)
	}
}

// wordList finds banned words in texts. For speed, it remembers the result for each distinct word.
type wordList struct {
	patterns []*regexp.Regexp
	known    map[string]string // replacement of each word, or "" if the word is not banned
}

func newWordList() *wordList {
	l := &wordList{known: map[string]string{}}
	for _, b := range bannedWords {
		l.patterns = append(l.patterns, regexp.MustCompile(b.pattern))
	}
	return l
}

// find returns the first banned word or phrase of a line and its replacement. If the line contains
// no banned word or phrase, find returns two empty strings.
func (l *wordList) find(line string) (word, use string) {
	for _, p := range bannedPhrases {
		if strings.Contains(line, p.phrase) {
			return p.phrase, p.use
		}
	}
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
		use, ok := l.known[word]
		if !ok {
			lower := strings.ToLower(word)
			for i, p := range l.patterns {
				if p.MatchString(lower) {
					use = bannedWords[i].use
					break
				}
			}
			l.known[word] = use
		}
		if use != "" && !excepted(line) {
			return word, use
		}
	}
	return "", ""
}

// The lists find banned words and accept other words.
func TestWordsFound(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"bestWay", "way"}, {"spare_points", "spare"}, {"HandOver", "hand"}, {"handle", ""}, {"away", ""}, {"gone", "gone"},
		{"goneBad", ""}, {"keyboard", ""}, {"GLBWay", "way"},
	} {
		if got, _ := bannedName(c.name, true); got != c.want {
			t.Errorf("bannedName(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	words := newWordList()
	for _, c := range []struct {
		text string
		want bool
	}{
		{"The Centre of", true}, {"kilometres", true}, {"parametrised", true}, {"precise", false}, {"metrics", false}, {"raise", false}, {"promise", false},
		{"The licence\tcolumn", false}, {"Four. A choice.", true}, {"a choice of", false}, {"Otherwise", false}, {"concentrate", false}, {"meshColours", true},
	} {
		word, _ := words.find(c.text)
		if (word != "") != c.want {
			t.Errorf("%q: found %q, want some word: %v", c.text, word, c.want)
		}
	}
}

func excepted(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(exceptions, func(e string) bool { return strings.Contains(line, e) })
}

// checkNames reports banned names that a Go file declares.
func checkNames(t *testing.T, rel, text string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, rel, text, 0)
	if err != nil {
		t.Errorf("%s: %v", rel, err)
		return
	}
	check := func(id *ast.Ident, whole bool) {
		if word, use := bannedName(id.Name, whole); word != "" {
			t.Errorf("%v: name %s: instead of %q use %s", fset.Position(id.Pos()), id.Name, word, use)
		}
	}
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range gen.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						if word, _ := bannedName(id.Name, false); word == "" { // ast.Inspect below reports banned words in the name
							check(id, true)
						}
					}
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			check(n.Name, true)
		case *ast.TypeSpec:
			check(n.Name, true)
		case *ast.Field:
			for _, id := range n.Names {
				check(id, false)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				check(id, false)
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.DEFINE {
					check(id, false)
				}
			}
		}
		return true
	})
}

// bannedName returns the banned word in a name and its replacement, or two empty strings. If whole
// is true, names in wholeNames are banned, in addition to names with a banned word.
func bannedName(name string, whole bool) (word, use string) {
	if use, ok := wholeNames[name]; ok && whole {
		return name, use
	}
	for _, w := range nameWords(name) {
		if use, ok := bannedNames[w]; ok {
			return w, use
		}
	}
	return "", ""
}

// nameWords returns the words of a name in lower case. A word ends at an underscore or before a
// capital letter that begins another word.
func nameWords(name string) (words []string) {
	r := []rune(name)
	start := 0
	flush := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(r[start:end])))
		}
	}
	for i := range r {
		switch {
		case r[i] == '_':
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r[i]) && (unicode.IsLower(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(r))
	return words
}

// walkTexts calls f for every text file of the repository, except the files in quoting.
func walkTexts(f func(rel, text string)) error {
	suffixes := []string{".go", ".md", ".s", ".sh", ".js", ".html", ".css", ".cpp", ".txtar", ".yml", ".toml", "Makefile", ".ci/run", "go.mod", "help.txt"}
	return filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("../..", path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "shared" || name == "rapid" || name == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if slices.Contains(quoting, rel) || !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(rel, s) }) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			f(rel, string(text))
		}
		return err
	})
}
