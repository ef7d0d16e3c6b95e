package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is the longest time to wait for the effect of an event.
const patience = 60 * time.Second

// chromium is the running browser, and the files that the tests need.
type chromium struct {
	ctx     context.Context
	page    string // path of inpoly.html
	command string // path of the command inpoly
	data    string // folder testdata of the repository
}

// start starts Chromium. It skips the test if Chromium or the page is missing.
func start(t *testing.T) *chromium {
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("hide-scrollbars", false))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return &chromium{ctx, html, command, data}
}

// tab is an open page.
type tab struct {
	*chromium
	t         *testing.T
	ctx       context.Context
	downloads string
	requests  []string // addresses that the page has requested
	errors    []string // messages of the console
}

// open opens the page in a window of the given size, from a file.
func (c *chromium) open(t *testing.T, width, height int64, dark, phone bool) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(c.ctx)
	t.Cleanup(cancel)
	b := &tab{chromium: c, t: t, ctx: ctx, downloads: t.TempDir()}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			b.requests = append(b.requests, e.Request.URL)
		case *runtime.EventExceptionThrown:
			b.errors = append(b.errors, e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			b.errors = append(b.errors, e.Entry.Text)
		}
	})
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.must(chromedp.Run(ctx, network.Enable(), runtime.Enable(), log.Enable(),
		emulation.SetDeviceMetricsOverride(width, height, 1, phone),
		emulation.SetTouchEmulationEnabled(phone),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(b.downloads),
		chromedp.Navigate("file://"+c.page)))
	b.until(`document.documentElement.dataset.ready === "yes"`)
	return b
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval stores the value of an expression in out.
func (b *tab) eval(expression string, out any) {
	b.t.Helper()
	b.must(chromedp.Run(b.ctx, chromedp.Evaluate(expression, out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) })))
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
			b.t.Fatalf("not true within %v: %s; note %q, failure %q, console %q", patience, expression, b.text("note"), b.text("failure"), b.errors)
		}
	}
}

// settle waits until the page has computed everything.
func (b *tab) settle() {
	b.t.Helper()
	b.until(`document.documentElement.dataset.ready === "yes"`)
}

// drop drops files on the page, as a file manager does.
func (b *tab) drop(paths ...string) {
	b.t.Helper()
	data := &input.DragData{Files: paths, DragOperationsMask: 1}
	for _, kind := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		b.must(chromedp.Run(b.ctx, input.DispatchDragEvent(kind, 300, 200, data)))
	}
	b.until(`document.documentElement.dataset.state === "files"`)
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
	b.must(chromedp.Run(b.ctx, chromedp.ScrollIntoView(selector, chromedp.ByQuery), chromedp.Click(selector, chromedp.ByQuery)))
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
	var data []byte
	b.must(chromedp.Run(b.ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		data, err = page.CaptureScreenshot().Do(ctx)
		return err
	})))
	b.must(os.WriteFile(filepath.Join(folder, name+".png"), data, 0o666))
}

// stats returns what the command says about points with --json, and the bytes of its output.
func (c *chromium) stats(t *testing.T, args ...string) (counts [4]int, out []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result")
	cmd := exec.Command(c.command, append(args, "--out", path, "--json", "--quiet")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v: %s", args, err, stderr.String())
	}
	var s struct{ Inside, Outside, On, Uncertain int }
	if err := json.Unmarshal([]byte(stderr.String()), &s); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return [4]int{s.Inside, s.Outside, s.On, s.Uncertain}, out
}
