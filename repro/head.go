package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
)

// head returns the lines that begin every file: where its numbers come from.
func head(e Experiment, r *Run) []string {
	return []string{
		fmt.Sprintf("%s: %s (%s, %s)", e.Name, e.Title, e.Source, e.Figure),
		fmt.Sprintf("size %s, threads %d", r.Size, r.Threads),
		"machine: " + machine(),
		"go: " + runtime.Version(),
		"commit: " + commit(),
	}
}

// machine describes the processor and the system.
func machine() string {
	return fmt.Sprintf("%s, %d processors, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// processor returns the name of the processor where the system tells it.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// commit returns the commit that was built, or the one of the working folder: empty when
// neither is known. A "+" tells that files had changed since.
func commit() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		id, changed := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+"
			}
		}
		if id != "" {
			return id + changed
		}
	}
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	id := strings.TrimSpace(string(out))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		id += "+"
	}
	return id
}
