package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// messageCommands are complete command lines. TestMessages adds flags to them.
var messageCommands = []string{
	"cube.stl p.csv",
	"cube.stl cube.obj p.csv",
	"open.obj p.npy",
	"check cube.stl",
	"explain cube.stl 0.5,0.5,0.5",
	"voxels cube.stl --dims 3,4,5 --out out/v.npy",
	"blocks cube.stl --origin -0.3,0,0 --size 0.5,1,0.4 --counts 4,2,3",
	"blocks cube.stl --table model.csv",
	"rays cube.stl lines.csv",
	"segments cube.stl lines.csv",
	"segments cube.stl --collar collars.csv --survey surveys.csv",
	"section cube.stl --z 0.5",
	"measure cube.stl",
	"view cube.stl p.csv --out out/v.html",
	"view cube.stl p.csv --slice z=0.5 --pixels 16 --out out/v.png",
	"collide scene.json",
	"make sphere --refine 1",
	"make foam --cells 2 --resolution 8",
	"merge m.json",
	"version",
}

// messageValues holds values for the flags that need one. The first value of a flag is valid.
var messageValues = map[string][]string{
	"axis":           {"x", "w"},
	"body":           {"first", "all", "count", "last"},
	"box":            {"0,0,0,1,1,1", "1,1,1,0,0,0", "0,0,0"},
	"by":             {"body", "face"},
	"bytes":          {"0-40", "9-1", "a"},
	"cells":          {"3", "0"},
	"chord":          {"0.5", "-1"},
	"collar":         {"collars.csv", "absent.csv"},
	"collar-columns": {"hole,x,y,z", "hole", "a,b,c,d"},
	"color":          {"never", "sometimes"},
	"color-by":       {"winding", "body", "red"},
	"columns":        {"1,2,3", "1,2", "a,b,c", "1,2,3,4,5,6", "4,1,2"},
	"counts":         {"2,2,2", "0,1,1", "2"},
	"cut":            {"z=0.5", "w=1"},
	"density":        {"2", "-1"},
	"desurvey":       {"tangent", "arc"},
	"dims":           {"2,2,2", "0,1,1", "2"},
	"dip":            {"down", "left"},
	"doubt":          {"0.1", "0.5", "-1"},
	"epsilon":        {"1e-3", "-1", "1e-30"},
	"every":          {"0.25", "0", "1,5"},
	"expect":         {"inside", "on,off", "near"},
	"faces":          {"out/faces.csv", "cube.stl"},
	"format":         {"csv", "npy", "json", "vtu", "docx"},
	"fraction":       {"2", "-1"},
	"from":           {"0.1", "front", "1,2,3", "nowhere"},
	"keep":           {"inside", "doubtful", "on,off", "near"},
	"levels":         {"2", "-1", "99"},
	"margin":         {"0.5", "-1"},
	"matrix":         {"matrix.txt", "absent.txt", "p.csv"},
	"max-contacts":   {"1", "-1"},
	"max-memory":     {"1G", "100", "much"},
	"method":         {"cells", "fmm", "raycros"},
	"min-size":       {"0.1", "0", "1,2"},
	"most":           {"10", "-1"},
	"orient":         {"=never", "=sometimes"},
	"origin":         {"0,0,0", "0,0"},
	"out":            {"out/a.csv", "out/a.npy", "out/a.stl", "out/a.html", "out/a.docx", "cube.stl", "absent/a.csv"},
	"out-dir":        {"out", "absent"},
	"parts":          {"all", "some"},
	"pixels":         {"32", "1", "-1"},
	"plane":          {"0,0,1,0.5", "0,0,0,1", "z"},
	"pose":           {"0.5,0,0", "1,2", "0,0,0,2,0,0,0"},
	"priority":       {"cube", "sphere"},
	"proof":          {"out/a.proof", "cube.stl"},
	"proof-points":   {"1,2", "0", "1-99", "a"},
	"radius":         {"2", "-1"},
	"refine":         {"2", "-1", "99"},
	"resolution":     {"4", "-1"},
	"rotation":       {"30", "30,10,0", "a"},
	"rule":           {"evenodd", "odd"},
	"scale":          {"2", "1/3", "0", "x"},
	"seed":           {"7", "-1"},
	"shard":          {"1/2", "3/2", "a"},
	"size":           {"0.5", "64x64", "-1", "1,2"},
	"slice":          {"z=0.25", "z", "w=1"},
	"spacing":        {"0.5", "-1", "1,2"},
	"stats":          {"json", "xml"},
	"step":           {"0.1", "-1"},
	"strict":         {"=true", "=all", "=maybe"},
	"strut":          {"0.2", "-1", "2"},
	"sub-levels":     {"1", "-1", "99"},
	"survey":         {"surveys.csv", "absent.csv"},
	"survey-columns": {"hole,depth,azimuth,dip", "hole", "a,b,c,d"},
	"table":          {"model.csv", "absent.csv"},
	"text":           {"weight", "absent"},
	"theme":          {"dark", "pink"},
	"to":             {"0.9", "x"},
	"tolerance":      {"0.01", "-1", "1mm"},
	"unit":           {"mm", "parsec"},
	"units":          {"mm:m", "mm", "mm:parsec"},
	"up":             {"y", "w"},
	"verify":         {"3", "-1"},
	"weld":           {"0.001", "-1"},
	"workers":        {"2", "-1"},
	"x":              {"0.5", "a"},
	"y":              {"0.5", "a"},
	"z":              {"0.5", "a"},
}

// unfrozenFlags are flags that TestMessages does not use: help is another command, and open starts a browser.
var unfrozenFlags = map[string]bool{"help": true, "open": true, "version": true}

// volatile matches the parts of messages that depend on the time or on the processors. Kernels without assembly code leave
// other signs to filters.
var volatile = regexp.MustCompile(`[0-9.]+(e-?[0-9]+)? (ns|µs|ms|s)\b|[0-9.]+ ?[kMG]? [a-z]+/s|"([a-z_]+_s|workers|filter)":[^,}]+`)

// messageTest runs command lines and collects what they print to standard error.
type messageTest struct {
	*testing.T
	folder *faultFolder
	golden map[string]map[string]string // from the command and the added flags
	frozen bytes.Buffer
	wrong  int
}

// TestMessages compares the exit codes and messages of commands with those in testdata/messages.txt: each
// command with each value of each flag, and with each pair of flags that gives an error that neither flag
// gives alone. It also compares pairs that are not in the file, which must give a message of one of the two
// flags. INPOLY_UPDATE=1 writes the file. Without INPOLY_FULL=1, the test makes a random selection of pairs.
func TestMessages(t *testing.T) {
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the texts of the system and the last digits of bounds differ on other systems")
	}
	path, err := filepath.Abs(filepath.Join("testdata", "messages.txt"))
	if err != nil {
		t.Fatal(err)
	}
	update := os.Getenv("INPOLY_UPDATE") == "1"
	share := 0.02
	if os.Getenv("INPOLY_FULL") == "1" || update {
		share = 1
	}
	m := &messageTest{T: t, golden: map[string]map[string]string{}}
	if data, err := os.ReadFile(path); err == nil {
		m.read(string(data))
	} else if !update {
		t.Fatal(err)
	}
	m.folder = newFaultFolder(t)
	for name, text := range map[string]string{
		"open.obj":   boxWithoutLid,
		"matrix.txt": "0 -1 0 0\n1 0 0 0\n0 0 1 0\n0 0 0 1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	runs := 0
	for _, command := range messageCommands {
		flags := m.flags(command)
		fmt.Fprintf(&m.frozen, "# %s\n", command)
		base := m.run(command, "")
		m.check(command, "", base, update)
		alone := map[string]string{}
		for _, name := range flags {
			for k, value := range m.values(name) {
				flag := m.written(name, value)
				got := m.run(command, flag)
				runs++
				if got != base {
					m.check(command, flag, got, update)
				} else if _, listed := m.golden[command][flag]; listed && !update {
					m.check(command, flag, got, update)
				}
				if k == 0 {
					alone[name] = got
				}
			}
		}
		for i, a := range flags {
			for _, b := range flags[:i] {
				both := m.written(b, m.values(b)[0]) + " " + m.written(a, m.values(a)[0])
				_, listed := m.golden[command][both]
				if !(rng.Float64() < share || listed && rng.Float64() < 4*share) {
					continue
				}
				got := m.run(command, both)
				runs++
				known := strings.HasPrefix(got, "0\n") || got == alone[a] || got == alone[b]
				if !known || listed && !update {
					m.check(command, both, got, update)
				}
			}
		}
	}
	if update {
		if err := os.WriteFile(path, m.frozen.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d command lines", runs)
	if m.wrong > 0 {
		t.Errorf("%d messages differ: if this is intended, run INPOLY_UPDATE=1 go test ./internal/cli -run TestMessages", m.wrong)
	}
}

// read reads the file of messages. A line that begins with # is a command. A line without indentation has flags.
// The indented lines below it have the exit code and the messages.
func (m *messageTest) read(text string) {
	var command, flags string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# "):
			command, flags = line[2:], ""
			m.golden[command] = map[string]string{}
		case strings.HasPrefix(line, "\t"):
			m.golden[command][flags] += line[1:] + "\n"
		default:
			flags = line
		}
	}
}

// flags returns the names of the flags of a command line, except those that TestMessages does not use.
func (m *messageTest) flags(command string) (names []string) {
	m.Helper()
	l := newCommandLine(&term.Terminal{})
	name, _, _ := strings.Cut(command, " ")
	c := l.find(name)
	if c == nil {
		c = l.root
	}
	add := func(f *pflag.Flag) {
		if !unfrozenFlags[f.Name] && !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	c.Flags().VisitAll(add)
	if c != l.root {
		l.root.PersistentFlags().VisitAll(add)
	}
	for _, name := range names {
		if needsValue(c, name) && len(messageValues[name]) == 0 {
			m.Fatalf("%s: --%s has no value in messageValues", command, name)
		}
	}
	return names
}

func needsValue(c *cobra.Command, name string) bool {
	f := c.Flag(name)
	return f != nil && f.NoOptDefVal == ""
}

// values returns the values of a flag: "" for a flag without a value.
func (m *messageTest) values(name string) []string {
	if values := messageValues[name]; values != nil {
		return values
	}
	return []string{""}
}

// written returns a flag with its value as the user writes it.
func (m *messageTest) written(name, value string) string {
	switch {
	case value == "":
		return "--" + name
	case strings.HasPrefix(value, "="):
		return "--" + name + value
	}
	return "--" + name + " " + value
}

// run returns the exit code and the messages of a command with added flags.
func (m *messageTest) run(command, flags string) string {
	m.folder.restore(m.T, faultState{})
	r := m.folder.run(faultCase{command: strings.TrimSpace(command + " " + flags)}, nil)
	return fmt.Sprintf("%d\n%s", r.code, volatile.ReplaceAllString(r.stderr, "TIME"))
}

// check compares an exit code and messages with those of the file, or adds them to the new file.
func (m *messageTest) check(command, flags, got string, update bool) {
	m.Helper()
	if update {
		if flags != "" {
			fmt.Fprintln(&m.frozen, flags)
		}
		for line := range strings.Lines(got) {
			fmt.Fprintf(&m.frozen, "\t%s\n", strings.TrimSuffix(line, "\n"))
		}
		return
	}
	if want, ok := m.golden[command][flags]; got != want {
		if m.wrong++; m.wrong <= 20 {
			if !ok {
				want = "neither flag alone gives this message"
			}
			m.Errorf("inpoly %s %s: exit code and messages are\n%swant\n%s", command, flags, got, want)
		}
	}
}
