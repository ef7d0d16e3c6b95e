package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is the longest time to wait for the effect of an event. Only a page that hangs takes so long.
const patience = 3 * time.Minute

// tab is an open page in Chromium. Its methods send the events that a user causes.
type tab struct {
	t         *testing.T
	ctx       context.Context
	page      string // path of inpoly.html
	command   string // path of the command inpoly
	dir       string // folder of the files that the tests write
	downloads string
	mesh      string // path of a closed mesh
	points    string // path of points with a column of text

	mu       sync.Mutex
	requests []string // addresses that the page has requested
	console  []string // errors and messages of the console
}

// start opens the page from a file in Chromium. It skips the test if Chromium or the page is missing.
func start(t *testing.T) *tab {
	t.Helper()
	html, command := os.Getenv("INPOLY_PAGE"), os.Getenv("INPOLY_COMMAND")
	if html == "" || command == "" {
		t.Skip("skipped: INPOLY_PAGE and INPOLY_COMMAND are not set: run make page-test")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("skipped: neither chromium, chromium-browser nor google-chrome is on the PATH")
	}
	data, err := filepath.Abs("../../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("hide-scrollbars", false))
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &tab{
		t: t, ctx: ctx, page: html, command: command, dir: t.TempDir(), downloads: t.TempDir(),
		mesh: filepath.Join(data, "knot.stl"), points: filepath.Join(data, "points.csv"),
	}
	b.must(chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			b.console = append(b.console, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
		case *log.EventEntryAdded:
			b.console = append(b.console, e.Entry.Text)
		}
	}))
	call(b, network.Enable, network.EnableParams{})
	call(b, runtime.Enable, cdp.Empty{})
	call(b, log.Enable, cdp.Empty{})
	call(b, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: b.downloads})
	b.look(1360, 850, false, false)
	begin := time.Now()
	b.must(chromedp.Do(ctx, chromedp.Navigate("file://"+html)))
	b.settle()
	t.Logf("the page was ready after %v", time.Since(begin).Round(time.Millisecond))
	return b
}

// look sets the size of the window, the colors and the kind of the device.
func (b *tab) look(width, height int64, dark, phone bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1, Mobile: phone})
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: phone})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// call runs a command of the protocol that returns nothing.
func call[P any](b *tab, command cdp.Command[P, cdp.Empty], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
}

// events returns the addresses that the page has requested, and the messages of the console.
func (b *tab) events() (requests, console []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests), slices.Clone(b.console)
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval stores the value of an expression in out, unless out is nil.
func (b *tab) eval(expression string, out any) {
	b.t.Helper()
	if out == nil {
		b.must(chromedp.Do(b.ctx, chromedp.Evaluate[chromedp.Void](expression, chromedp.EvalAwaitPromise)))
		return
	}
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	b.must(err)
	if err := json.Unmarshal(value, out); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// text returns the text of an element that is visible, or "".
func (b *tab) text(id string) (s string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); return e.checkVisibility() ? e.innerText : ""; })()`, id), &s)
	return s
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var done bool
		b.eval("Boolean("+expression+")", &done)
		if done {
			return
		}
		if time.Now().After(end) {
			b.shot("failed")
			_, console := b.events()
			b.t.Fatalf("not true within %v: %s; note %q, failure %q, console %q", patience, expression, b.text("note"), b.text("failure"), console)
		}
	}
}

// settle waits until the page has computed everything.
func (b *tab) settle() {
	b.t.Helper()
	b.until(`document.documentElement.dataset.ready === "yes"`)
}

// drop drops files on the page and waits until the page has computed everything.
func (b *tab) drop(paths ...string) {
	b.t.Helper()
	b.dropOnly(paths...)
	b.settle()
}

// dropOnly drops files on the page, as a file manager does.
func (b *tab) dropOnly(paths ...string) {
	b.t.Helper()
	b.eval(`document.documentElement.dataset.ready = "no"`, nil)
	data := &input.DragData{Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter, input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
		call(b, input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: 300, Y: 200, Data: data})
	}
}

// choose sets a control and waits until its effect is computed.
func (b *tab) choose(id, value string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return e.value; })()`, id, value), &value)
	b.settle()
}

// press clicks on an element with the mouse.
func (b *tab) press(selector string) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector))))
}

// click clicks at a place of the window.
func (b *tab) click(x, y float64) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y)))
}

// counts returns the numbers of points inside, outside, on the surface and uncertain.
func (b *tab) counts() (n [4]int) {
	b.t.Helper()
	var list []string
	b.eval(`["inside", "outside", "on", "uncertain"].map((c) => document.querySelector("#counts ." + c + " td").textContent.replaceAll(",", ""))`, &list)
	for i, text := range list {
		if _, err := fmt.Sscan(text, &n[i]); err != nil {
			b.t.Fatal(err)
		}
	}
	return n
}

// saved clicks on a button that saves a file and returns the content of the file.
func (b *tab) saved(selector, name string) []byte {
	b.t.Helper()
	path := filepath.Join(b.downloads, name)
	b.must(errors.Join(os.RemoveAll(b.downloads), os.Mkdir(b.downloads, 0o777)))
	b.press(selector)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		part, _ := filepath.Glob(filepath.Join(b.downloads, "*.crdownload"))
		if data, err := os.ReadFile(path); err == nil && len(part) == 0 {
			return data
		}
	}
	list, _ := os.ReadDir(b.downloads)
	b.t.Fatalf("%s was not saved; the folder has %v; failure %q", name, list, b.text("failure"))
	return nil
}

// shot takes a screenshot. The environment variable INPOLY_SHOTS can name a folder to keep it.
func (b *tab) shot(name string) {
	b.t.Helper()
	folder := os.Getenv("INPOLY_SHOTS")
	if folder == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	b.must(os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666))
}

// file writes a file and returns its path.
func (b *tab) file(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	b.must(os.WriteFile(path, []byte(content), 0o666))
	return path
}

// run runs the command with --out. It returns the numbers of points inside, outside, on the surface and
// uncertain, and the output file. The error is what the command prints.
func (b *tab) run(args ...string) (counts [4]int, out []byte, err error) {
	path := filepath.Join(b.dir, "out")
	cmd := exec.Command(b.command, append(args, "--out", path, "--json", "--quiet")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return counts, nil, errors.New(stderr.String())
	}
	var s struct{ Inside, Outside, On, Uncertain int }
	err = json.Unmarshal(stderr.Bytes(), &s)
	if err == nil {
		out, err = os.ReadFile(path)
	}
	return [4]int{s.Inside, s.Outside, s.On, s.Uncertain}, out, err
}

// stats is run for commands that work.
func (b *tab) stats(args ...string) (counts [4]int, out []byte) {
	b.t.Helper()
	counts, out, err := b.run(args...)
	if err != nil {
		b.t.Fatalf("%v: %v", args, err)
	}
	return counts, out
}

// content returns a point file as text.
func (b *tab) content(data []byte, name string) []byte {
	b.t.Helper()
	_, out := b.stats(b.mesh, b.file(name, string(data)), "--format", "csv")
	return out
}

// message returns the message of the command without its name, its hint and the folders of files.
func (b *tab) message(err error) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "inpoly: "), "\n")
	return strings.NewReplacer(b.dir+"/", "", filepath.Dir(b.mesh)+"/", "").Replace(line)
}
