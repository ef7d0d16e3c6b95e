package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inpoly/inpoly/internal/cli/term"
)

// widths are the widths of the terminals of the tests, in columns.
var widths = []int{20, 40, 80, 200}

// openTerminal opens a pseudo-terminal with the given width. The command gets the file terminal,
// and the test reads what appears on the screen from the file screen.
func openTerminal(t *testing.T, width int) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)})
	}
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return screen, terminal
}

// session is a run of the command on a terminal.
type session struct {
	dir            string
	width          int
	env            []string
	stdout, stderr bool      // which streams are the terminal
	stdin          io.Reader // nil means no input
}

// run runs the command. It returns the exit code, what appeared on the terminal, and what the other
// stream got.
func (s session) run(t *testing.T, args ...string) (code int, screen, other string) {
	t.Helper()
	cmd, seen, end := s.begin(t, args...)
	other = end()
	return cmd.ProcessState.ExitCode(), seen(), other
}

// begin starts the command. seen returns what has appeared on the terminal so far. end waits for the
// end of the command and returns the output that is not on the terminal.
func (s session) begin(t *testing.T, args ...string) (cmd *exec.Cmd, seen func() string, end func() string) {
	t.Helper()
	screen, terminal := openTerminal(t, s.width)
	cmd = exec.Command("inpoly", args...)
	cmd.Dir, cmd.Stdin = s.dir, s.stdin
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "NO_COLOR="), s.env...)
	var other bytes.Buffer
	cmd.Stdout, cmd.Stderr = &other, &other
	if s.stdout {
		cmd.Stdout = terminal
	}
	if s.stderr {
		cmd.Stderr = terminal
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close() // the screen then ends with the command
	var mu sync.Mutex
	var text bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		part := make([]byte, 1<<12)
		for {
			n, err := screen.Read(part)
			mu.Lock()
			text.Write(part[:n])
			mu.Unlock()
			if err != nil { // EIO after the last process has closed the terminal
				return
			}
		}
	}()
	seen = func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	return cmd, seen, func() string {
		timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
		defer timer.Stop()
		err := cmd.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		<-done
		return other.String()
	}
}

// lines returns the lines of a screen. The test fails if a text that is overwritten reaches the last
// column, because some terminals begin a new line there.
func lines(t *testing.T, screen string, width int) []string {
	t.Helper()
	var done []string
	for line := range strings.SplitSeq(screen, "\r\n") {
		frames := strings.Split(line, "\r")
		for _, frame := range frames[:len(frames)-1] { // the last text stays
			if term.Width(frame) >= width {
				t.Errorf("width %d: %q wraps", width, frame)
			}
		}
		done = append(done, line)
	}
	return done
}

// The progress is one line at every width. It shows no rate that is faster than the run can be, and
// it disappears before the summary. The names of the files have wide characters.
func TestProgressOnTerminal(t *testing.T) {
	for _, width := range widths {
		t.Run(strconv.Itoa(width), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := strings.Repeat("网格模型", 10)
			putAll(t, dir, map[string]string{name + ".obj": cubeOBJ})
			read, write := io.Pipe()
			s := session{dir: dir, width: width, stderr: true, stdin: read}
			cmd, seen, end := s.begin(t, name+".obj", "-", "--out", "out.csv")
			rows := 0
			rate := regexp.MustCompile(`([0-9.]+)( [kM])?/s`)
			const chunk = 100_000
			// The command has shown a rate, or a minute has passed: the rate needs half a second.
			for start := time.Now(); !rate.MatchString(seen()) && time.Since(start) < time.Minute; rows += chunk {
				if _, err := io.WriteString(write, strings.Repeat("0.5,0.5,0.5\n", chunk)); err != nil {
					t.Error(err)
					break
				}
				time.Sleep(50 * time.Millisecond)
			}
			write.Close()
			end()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("exit code %d: %q", code, seen())
			}
			screen := strings.TrimSuffix(seen(), "\r\n")
			all := lines(t, screen, width)
			if len(all) != 1 {
				t.Errorf("%d lines: %q", len(all), screen)
			}
			frames := strings.Split(all[0], "\r")
			if last := frames[len(frames)-1]; last != fmt.Sprintf("%s points: %s inside, 0 outside", grouped(rows), grouped(rows)) {
				t.Errorf("the summary is %q", last)
			}
			if rate.MatchString(frames[1]) {
				t.Errorf("the first frame has a rate: %q", frames[1])
			}
			rates := rate.FindAllStringSubmatch(all[0], -1)
			for _, r := range rates {
				x, err := strconv.ParseFloat(r[1], 64)
				if err != nil {
					t.Fatal(err)
				}
				x *= map[string]float64{"": 1, " k": 1e3, " M": 1e6}[r[2]]
				if most := 1.01 * float64(rows) / 0.5; x <= 0 || x > most { // rates are rounded to three digits
					t.Errorf("a rate of %g points/s, but %d points in half a second are %g", x, rows, most)
				}
			}
			if len(rates) == 0 {
				t.Errorf("no rate in %q", screen)
			}
		})
	}
}

func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// With a file of known size, the progress has a bar if there is room. The bar stays on the line.
func TestBarOnTerminal(t *testing.T) {
	dir := t.TempDir()
	putAll(t, dir, map[string]string{"cube.obj": cubeOBJ, "points.csv": "x,y,z\n" + strings.Repeat("0.5,0.5,0.5\n", 400_000)})
	for _, width := range widths {
		code, screen, _ := session{dir: dir, width: width, stderr: true}.run(t, "cube.obj", "points.csv", "--out", "out.csv", "--workers", "1")
		all := lines(t, strings.TrimSuffix(screen, "\r\n"), width)
		if code != 0 || len(all) != 1 || !strings.HasSuffix(all[0], "400,000 points: 400,000 inside, 0 outside") {
			t.Errorf("width %d: exit code %d: %q", width, code, screen)
		}
		if bar := strings.Contains(screen, "["); !bar && width >= 40 {
			t.Errorf("width %d: no bar: %q", width, screen)
		}
		if code, screen, _ = (session{dir: dir, width: width, stderr: true}).run(t, "cube.obj", "points.csv", "--out", "out.csv", "-q"); code != 0 || screen != "" {
			t.Errorf("--quiet: exit code %d: %q", code, screen)
		}
	}
	if code, _, other := (session{dir: dir, width: 80}).run(t, "cube.obj", "points.csv", "--out", "out.csv"); code != 0 || other != "400,000 points: 400,000 inside, 0 outside\n" {
		t.Errorf("not on a terminal: exit code %d: %q", code, other)
	}
}

var style = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// Labels of errors, warnings and hints, and headings of help texts have colors on terminals, and
// only there. --color, NO_COLOR and TERM change this.
func TestColors(t *testing.T) {
	dir := t.TempDir()
	const name = "a\x1b[31m\x1b]0;t\x07.obj"
	putAll(t, dir, map[string]string{"open.obj": strings.TrimSuffix(cubeOBJ, "f 4 1 5 8\n"), name: "bad\x1b[2J", "p.csv": "0.5,0.5,0.5\n"})
	for _, c := range []struct {
		args, env      string
		stdout, stderr bool
		want           string // the styled part of the screen
		colored        bool
	}{
		{args: "open.obj p.csv", stderr: true, want: "\x1b[1;33mwarning:\x1b[0m open.obj: the mesh is not closed", colored: true},
		{args: "open.obj", stderr: true, want: "\x1b[1;31minpoly:\x1b[0m open.obj: expected", colored: true},
		{args: "open.obj", stderr: true, want: "\x1b[1mhint:\x1b[0m inpoly", colored: true},
		{args: "help", stdout: true, want: "\x1b[1mUsage:\x1b[0m\r\n  inpoly mesh points", colored: true},
		{args: "check --help", stdout: true, want: "\x1b[1mFlags:\x1b[0m\r\n", colored: true},
		{args: "help", stderr: true, want: ""},
		{args: "help", env: "NO_COLOR=1", stdout: true, want: "Usage:\r\n"},
		{args: "help", env: "TERM=dumb", stdout: true, want: "Usage:\r\n"},
		{args: "help --color never", stdout: true, want: "Usage:\r\n"},
		{args: "help --color=always", env: "NO_COLOR=1", stdout: true, want: "\x1b[1mUsage:", colored: true},
		{args: "open.obj p.csv", env: "NO_COLOR=1", stderr: true, want: "warning: open.obj"},
		{args: "open.obj p.csv", env: "TERM=dumb", stderr: true, want: "warning: open.obj"},
		{args: "open.obj p.csv --color never", stderr: true, want: "warning: open.obj"},
		{args: "open.obj p.csv --nosuch --color never", stderr: true, want: "inpoly: unknown flag"},
		{args: "explain open.obj 1,2,3 --color never", stderr: true, want: "warning: open.obj"},
		{args: "open.obj p.csv --color sometimes", stderr: true, want: `--color "sometimes": expected auto, always or never`, colored: true},
		{args: "open.obj p.csv --color nevr", stderr: true, want: "did you mean --color never?", colored: true},
	} {
		_, screen, other := session{dir: dir, width: 80, env: []string{c.env}, stdout: c.stdout, stderr: c.stderr}.run(t, strings.Fields(c.args)...)
		if !strings.Contains(screen, c.want) || style.MatchString(screen) != c.colored {
			t.Errorf("%s, %s: screen %.300q, want %q, colors %v", c.args, c.env, screen, c.want, c.colored)
		}
		if strings.Contains(other, "\x1b") && !strings.Contains(c.args, "always") {
			t.Errorf("%s: colors in a pipe: %q", c.args, other)
		}
	}
	for _, args := range [][]string{{name, "p.csv"}, {"check", name}, {"open.obj", "p.csv", "--keep", name}, {name}} {
		_, screen, _ := session{dir: dir, width: 80, stderr: true}.run(t, append(args, "--color", "always")...)
		if rest := style.ReplaceAllString(screen, ""); strings.ContainsAny(rest, "\x1b\x07") || !strings.Contains(rest, `a\x1b[31m`) || rest == screen {
			t.Errorf("%q: a file name reaches the terminal: %q", args, screen)
		}
	}
	code, _, piped := session{dir: dir, width: 80}.run(t, "open.obj", "p.csv", "--color", "always", "--out", "o.csv")
	if code != 0 || !strings.Contains(piped, "\x1b[1;33mwarning:\x1b[0m") {
		t.Errorf("--color always in a pipe: exit code %d: %q", code, piped)
	}
}

// Binary output does not reach a terminal, unless --out - asks for it. Text does.
func TestBinaryOnTerminal(t *testing.T) {
	dir := t.TempDir()
	const ascii = "ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\nend_header\n0.5 0.5 0.5\n"
	putAll(t, dir, map[string]string{"cube.obj": cubeOBJ, "p.csv": "x,y,z\n0.5,0.5,0.5\n", "p.ply": ascii})
	onTerminal := session{dir: dir, width: 80, stdout: true}
	for _, format := range []string{"npy", "las", "parquet", "ply"} {
		code, screen, other := onTerminal.run(t, "cube.obj", "p.csv", "--format", format)
		if code != 2 || screen != "" || !strings.Contains(other, format+" is a binary format and standard output is a terminal") || !strings.Contains(other, "hint: write to a file with --out FILE") {
			t.Errorf("%s: exit code %d, screen %q, errors %q", format, code, screen, other)
		}
		code, screen, other = onTerminal.run(t, "cube.obj", "p.csv", "--format", format, "--out", "-")
		if code != 0 || screen == "" {
			t.Errorf("%s --out -: exit code %d, screen %q, errors %q", format, code, screen, other)
		}
		if code, _, other := (session{dir: dir, width: 80, stderr: true}).run(t, "cube.obj", "p.csv", "--format", format); code != 0 || other == "" {
			t.Errorf("%s to a pipe: exit code %d, %d bytes", format, code, len(other))
		}
	}
	for _, line := range []string{"make sphere", "make foam --format ply"} {
		if code, screen, other := onTerminal.run(t, strings.Fields(line)...); code != 2 || screen != "" || !strings.Contains(other, " is a binary format and standard output is a terminal") {
			t.Errorf("%s: exit code %d, screen %q, errors %q", line, code, screen, other)
		}
	}
	if code, _, other := onTerminal.run(t, "cube.obj", "p.csv", "--format", "npy", "--out", "p.npy"); code != 0 {
		t.Fatalf("exit code %d: %s", code, other)
	}
	if code, screen, _ := onTerminal.run(t, "cube.obj", "p.npy"); code != 2 || screen != "" {
		t.Errorf("points in npy: exit code %d, screen %q", code, screen)
	}
	for _, args := range []string{"cube.obj p.csv", "cube.obj p.ply", "cube.obj p.npy --format csv", "cube.obj p.csv --format jsonl", "check cube.obj", "cube.obj p.csv --keep outside", "make sphere --refine 0 --format obj"} {
		if code, screen, other := onTerminal.run(t, strings.Fields(args)...); code != 0 || screen == "" {
			t.Errorf("%s: exit code %d, screen %q, errors %q", args, code, screen, other)
		}
	}
	// voxels needs --out, so it writes to a terminal only if the user says so.
	if code, screen, other := onTerminal.run(t, "voxels", "cube.obj", "--spacing", "1", "--format", "raw"); code != 2 || screen != "" || !strings.Contains(other, "expected --out FILE") {
		t.Errorf("voxels: exit code %d, screen %q, errors %q", code, screen, other)
	}
}
