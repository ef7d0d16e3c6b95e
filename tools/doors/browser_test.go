package doors

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// buildPackage builds the npm package and returns its folder.
func buildPackage(t *testing.T, dir string) string {
	t.Helper()
	need(t, "node")
	folder := filepath.Join(dir, "npm", "package")
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	mustRun(t, root, nil, "node", "bindings/js/build/npm.mjs", filepath.Join(dir, "npm"))
	archives, err := filepath.Glob(filepath.Join(dir, "npm", "*.tgz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("the build wrote the archives %q, error %v", archives, err)
	}
	mustRun(t, filepath.Join(dir, "npm"), nil, "tar", "xzf", archives[0])
	return folder
}

func buildNode(t *testing.T, dir string) driver {
	return program(nil, "node", "drivers/node.mjs", buildPackage(t, dir))
}

// browsers are the names of Chromium.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"}

func buildChromium(t *testing.T, dir string) driver {
	folder := buildPackage(t, dir)
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return func(ctx context.Context, jobFile, answers string) error {
				return browse(ctx, path, folder, jobFile, answers)
			}
		}
	}
	t.Skipf("skipped: none of %s is installed", strings.Join(browsers, ", "))
	return nil
}

// browse does a job in a browser. The page reads the files that the job names from a server, which
// can be reached only from this machine.
func browse(ctx context.Context, browser, folder, jobFile, answers string) error {
	mux := http.NewServeMux()
	mux.Handle("/package/", http.StripPrefix("/package/", http.FileServer(http.Dir(folder))))
	mux.Handle("/drivers/", http.StripPrefix("/drivers/", http.FileServer(http.Dir("drivers"))))
	mux.HandleFunc("/job", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, jobFile) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		data, err := os.ReadFile(r.URL.Query().Get("path"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = w.Write(data) // the page notices what is missing
	})
	mux.HandleFunc("POST /answers", func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(answers, data, 0o644)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	defer stop()
	ctx, end := chromedp.NewContext(ctx)
	defer end()
	if err := chromedp.Do(ctx, chromedp.Navigate(server.URL+"/drivers/browser.html")); err != nil {
		return err
	}
	for {
		title, err := chromedp.Run(ctx, chromedp.Title())
		if err != nil {
			return err
		}
		switch {
		case title == "done":
			return nil
		case strings.HasPrefix(title, "failed"):
			return fmt.Errorf("the page in %s: %s", browser, title)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
