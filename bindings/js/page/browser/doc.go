// Package browser tests the page in Chromium with the Chrome DevTools Protocol. make page-test builds
// the page and runs the tests.
package browser
