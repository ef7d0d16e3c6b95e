package view

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is the longest time to wait for the effect of an event.
const patience = 15 * time.Second

// devtools is a running Chromium that a test controls through a pair of pipes with the Chrome
// DevTools Protocol. Each message is JSON that ends with a zero byte.
type devtools struct {
	t    *testing.T
	dir  string
	in   *os.File
	mu   sync.Mutex
	last int
	wait map[int]chan reply
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startChromium starts Chromium, or skips the test if Chromium is not installed.
func startChromium(t *testing.T) *devtools {
	t.Helper()
	path := browser(t)
	fromTest, toChromium, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromChromium, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d := &devtools{t: t, dir: t.TempDir(), in: toChromium, wait: map[int]chan reply{}}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	c := exec.CommandContext(ctx, path, append([]string{"--headless=new", "--no-sandbox", "--disable-extensions", "--remote-debugging-pipe", "--hide-scrollbars",
		"--user-data-dir=" + filepath.Join(d.dir, "profile")}, software...)...)
	c.ExtraFiles = []*os.File{fromTest, toTest} // file descriptors 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fromTest.Close()
	toTest.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		d.read(fromChromium)
	}()
	t.Cleanup(func() {
		d.call("", "Browser.close", nil, nil)
		c.Wait()
		cancel()
		toChromium.Close()
		<-read
		fromChromium.Close()
	})
	return d
}

// read delivers the replies to their callers.
func (d *devtools) read(from *os.File) {
	r := bufio.NewReader(from)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			d.mu.Lock()
			for id, c := range d.wait {
				close(c)
				delete(d.wait, id)
			}
			d.mu.Unlock()
			return
		}
		var m reply
		if json.Unmarshal(text[:len(text)-1], &m) != nil || m.ID == 0 {
			continue // an event
		}
		d.mu.Lock()
		c := d.wait[m.ID]
		delete(d.wait, m.ID)
		d.mu.Unlock()
		if c != nil {
			c <- m
		}
	}
}

// call sends a command and stores its result in out, unless out is nil.
func (d *devtools) call(session, method string, params map[string]any, out any) error {
	if params == nil {
		params = map[string]any{}
	}
	d.mu.Lock()
	d.last++
	id, c := d.last, make(chan reply, 1)
	d.wait[id] = c
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = d.in.Write(append(text, 0))
	}
	d.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m, ok := <-c:
		switch {
		case !ok:
			return fmt.Errorf("%s: Chromium has ended", method)
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case out != nil:
			return json.Unmarshal(m.Result, out)
		}
		return nil
	case <-time.After(time.Minute):
		return fmt.Errorf("%s: no reply within a minute", method)
	}
}

// tab is an open page. Its methods send the events that a user causes.
type tab struct {
	*devtools
	t       *testing.T
	session string
	file    string
	touch   bool
}

// open opens a page in a window of the given size. If touch is set, the device is a phone.
func (d *devtools) open(t *testing.T, page, fragment string, width, height int, touch bool) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	b := &tab{devtools: d, t: t, file: file, touch: touch}
	var target struct{ TargetID, SessionID string }
	b.must(d.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	b.must(d.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target))
	b.session = target.SessionID
	b.send("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": touch})
	if touch {
		b.send("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": true, "maxTouchPoints": 2})
	}
	b.must(d.call("", "Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": filepath.Dir(file)}, nil))
	b.load(fragment)
	t.Cleanup(func() {
		b.shot(strings.ReplaceAll(t.Name(), "/", "-"))
		d.call("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil)
	})
	return b
}

func (b *tab) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) send(method string, params map[string]any) {
	b.t.Helper()
	b.must(b.call(b.session, method, params, nil))
}

// load opens the page again with the given fragment and waits until it is drawn.
func (b *tab) load(fragment string) {
	b.t.Helper()
	b.send("Page.navigate", map[string]any{"url": "about:blank"})
	b.send("Page.navigate", map[string]any{"url": "file://" + b.file + fragment})
	b.until(`location.protocol === "file:" && document.documentElement !== null && document.documentElement.dataset.ready === "yes"`)
}

// eval returns the value of an expression.
func (b *tab) eval(expression string) any {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.must(b.call(b.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &out))
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails.Exception.Description)
	}
	return out.Result.Value
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if b.eval(expression) == true {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("not true within "+patience.String()+": %s (error %v)", expression, b.eval("document.documentElement.dataset.error"))
		}
	}
}

// text returns the text of an element.
func (b *tab) text(id string) string {
	b.t.Helper()
	return fmt.Sprint(b.eval(`document.getElementById("` + id + `").innerText`))
}

// settle waits until the picture is drawn.
func (b *tab) settle() {
	b.t.Helper()
	b.until("!view.waiting && !view.moving")
}

func (b *tab) mouse(kind string, x, y float64, buttons int) {
	b.t.Helper()
	button := "none"
	if buttons > 0 || kind == "mouseReleased" {
		button = "left"
	}
	b.send("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1})
}

// press clicks at a place of the window with the mouse, or taps on a phone.
func (b *tab) press(x, y float64) {
	b.t.Helper()
	if b.touch {
		b.send("Input.dispatchTouchEvent", map[string]any{"type": "touchStart", "touchPoints": []any{map[string]any{"x": x, "y": y}}})
		b.send("Input.dispatchTouchEvent", map[string]any{"type": "touchEnd", "touchPoints": []any{}})
		return
	}
	b.mouse("mouseMoved", x, y, 0)
	b.mouse("mousePressed", x, y, 1)
	b.mouse("mouseReleased", x, y, 0)
}

// drag moves the mouse or a finger from one place to another.
func (b *tab) drag(x, y, toX, toY float64) {
	b.t.Helper()
	const steps = 8
	at := func(i int) (float64, float64) { return x + (toX-x)*float64(i)/steps, y + (toY-y)*float64(i)/steps }
	if b.touch {
		b.touches("touchStart", x, y)
		for i := 1; i <= steps; i++ {
			px, py := at(i)
			b.touches("touchMove", px, py)
		}
		b.touches("touchEnd")
		return
	}
	b.mouse("mousePressed", x, y, 1)
	for i := 1; i <= steps; i++ {
		px, py := at(i)
		b.mouse("mouseMoved", px, py, 1)
	}
	b.mouse("mouseReleased", toX, toY, 0)
}

// touches sends one touch event with the given places x, y, x, y.
func (b *tab) touches(kind string, places ...float64) {
	b.t.Helper()
	list := []any{}
	for i := 0; i+1 < len(places); i += 2 {
		list = append(list, map[string]any{"x": places[i], "y": places[i+1], "id": i / 2})
	}
	b.send("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": list})
}

// place returns the middle of an element in the window, after scrolling the element into view.
func (b *tab) place(selector string) (x, y float64) {
	b.t.Helper()
	b.eval(`document.querySelector('` + selector + `').scrollIntoView({ block: "center", behavior: "instant" })`)
	r, ok := b.eval(`(() => { const r = document.querySelector('` + selector + `').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; })()`).([]any)
	if !ok || r[2].(float64) <= 0 || r[3].(float64) <= 0 {
		b.t.Fatalf("%s has no extent: %v", selector, r)
	}
	return r[0].(float64), r[1].(float64)
}

// click clicks on an element. The element must be on top at its middle.
func (b *tab) click(selector string) {
	b.t.Helper()
	x, y := b.place(selector)
	if on := b.eval(fmt.Sprintf(`(() => { const e = document.querySelector('%s'), at = document.elementFromPoint(%g, %g); return e === at || e.contains(at) || Boolean(at && at.contains(e)); })()`, selector, x, y)); on != true {
		b.t.Fatalf("%s is covered at its middle", selector)
	}
	b.press(x, y)
}

// wheel turns the wheel of the mouse.
func (b *tab) wheel(x, y, delta float64) {
	b.t.Helper()
	b.send("Input.dispatchMouseEvent", map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta})
}

// visit returns the state of the page when it is drawn.
func (b *tab) visit() (v visit) {
	b.t.Helper()
	b.settle()
	v.data = map[string]string{}
	for key, value := range b.eval("({ ...document.documentElement.dataset })").(map[string]any) {
		v.data[key] = value.(string)
	}
	v.text = b.eval("document.documentElement.outerHTML").(string)
	v.img = b.shot("")
	return v
}

// key presses a key.
func (b *tab) key(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.send("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key})
	}
}

// shot takes a screenshot. The environment variable INPOLY_SHOTS can name a folder to keep it.
func (b *tab) shot(name string) image.Image {
	b.t.Helper()
	var out struct{ Data string }
	b.must(b.call(b.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &out))
	data, err := base64.StdEncoding.DecodeString(out.Data)
	b.must(err)
	if keep := os.Getenv("INPOLY_SHOTS"); keep != "" && name != "" {
		b.must(os.WriteFile(filepath.Join(keep, name+".png"), data, 0o666))
	}
	img, err := png.Decode(bytes.NewReader(data))
	b.must(err)
	return img
}
