// Command chromium measures the npm package in Chromium for the table doors of bench.
//
// usage: chromium BROWSER PACKAGE DRIVERS MESH.ply POINTS.f64 OUT THREADS
//
// BROWSER is the program, PACKAGE the folder of the npm package, and DRIVERS the folder door_node of
// bench. door_go in bench explains the other arguments and the output. The command measures the CPU
// time of the processes that run pages.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

func main() {
	if len(os.Args) != 8 {
		fmt.Fprintln(os.Stderr, "usage: chromium BROWSER PACKAGE DRIVERS MESH.ply POINTS.f64 OUT THREADS")
		os.Exit(2)
	}
	times, err := measure(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6])
	if err != nil {
		fmt.Fprintln(os.Stderr, "chromium:", err)
		os.Exit(1)
	}
	fmt.Println(times)
}

// patience ends a browser that hangs.
const patience = 2 * time.Minute

func measure(browser, folder, drivers, mesh, points, out string) (times string, err error) {
	mux := http.NewServeMux()
	mux.Handle("/package/", http.StripPrefix("/package/", http.FileServer(http.Dir(folder))))
	mux.Handle("/door_node/", http.StripPrefix("/door_node/", http.FileServer(http.Dir(drivers))))
	mux.HandleFunc("/mesh", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, mesh) })
	mux.HandleFunc("/points", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, points) })
	mux.HandleFunc("POST /answers", func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		if err == nil {
			err = os.WriteFile(out, data, 0o644)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox)
	ctx, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	defer stopAllocator()
	ctx, end := chromedp.NewContext(ctx)
	defer end()
	expose := chromedp.ExposeFunc("cpuSeconds", func(ctx context.Context, _ int) (float64, error) { return cpuSeconds(ctx) })
	if err := chromedp.Do(ctx, expose, chromedp.Navigate(server.URL+"/door_node/page.html")); err != nil {
		return "", err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[string]("work()", chromedp.EvalAwaitPromise))
}

// cpuSeconds returns the CPU time of the processes that run pages.
func cpuSeconds(ctx context.Context) (sum float64, err error) {
	info, err := chromedp.CallBrowser(ctx, systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	for _, p := range info.ProcessInfo {
		if p.Type == "renderer" {
			sum += p.CPUTime
		}
	}
	return sum, nil
}
