// Package hostile has only tests. They read hostile mesh files and hostile streams of points in
// child processes, and measure the peak memory and the time of each.
package hostile
