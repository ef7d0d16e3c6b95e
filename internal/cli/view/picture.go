package view

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/view"
)

// pictureFlags holds the flags of 3D pictures.
type pictureFlags struct {
	size, theme, from, cut string
}

func (f *pictureFlags) define(set *pflag.FlagSet) {
	set.StringVar(&f.size, "size", "", "")
	set.StringVar(&f.theme, "theme", "light", "")
	set.StringVar(&f.from, "from", "", "")
	set.StringVar(&f.cut, "cut", "", "")
}

// isPNG reports whether --out names an image.
func (f *flags) isPNG() bool { return strings.EqualFold(filepath.Ext(f.out), ".png") }

// is3D reports whether the output is a 3D picture.
func (f *flags) is3D() bool { return f.isPNG() && f.slice == "" }

// pictureOptions returns the options of the 3D picture. If the output has another kind, only the default
// values of the flags are valid.
func (f *flags) pictureOptions(changed func(name string) bool) (view.PictureOptions, error) {
	opt := view.PictureOptions{Workers: f.Workers}
	if !f.is3D() {
		for _, name := range []string{"size", "theme", "from", "cut"} {
			if changed(name) {
				reason := "--out is no .png file"
				if f.isPNG() {
					reason = "--slice draws a plane"
				}
				return opt, term.Usagef("--%s is for 3D pictures: %s", name, reason)
			}
		}
		return opt, nil
	}
	var err error
	switch {
	case f.size != "" && f.pixels != 0:
		return opt, term.Usagef("--size and --pixels exclude each other")
	case f.size != "":
		if opt.Width, opt.Height, err = parseSize(f.size); err != nil {
			return opt, term.Usagef("--size: %w", err)
		}
	case f.pixels != 0:
		opt.Width, opt.Height = f.pixels, max(view.MinPicture, f.pixels*5/8)
	}
	if f.pixels != 0 && f.pixels < view.MinPicture {
		return opt, term.Usagef("--pixels %d: a 3D picture must have at least %d", f.pixels, view.MinPicture)
	}
	switch strings.ToLower(f.theme) {
	case "light":
	case "dark":
		opt.Theme = view.Dark
	default:
		return opt, term.DidYouMean(term.Usagef("--theme %q: expected light or dark", f.theme), "--theme", f.theme, []string{"light", "dark"})
	}
	if f.from != "" {
		d, err := view.ParseDirection(f.from)
		if err != nil {
			return opt, term.DidYouMean(term.Usagef("--from: %w", err), "--from", f.from, []string{"front", "back", "left", "right", "top", "bottom"})
		}
		opt.From = &d
	}
	opt.Cut = f.cut != ""
	return opt, nil
}

// parseSize parses a width and a height, such as 1280x800.
func parseSize(s string) (width, height int, err error) {
	a, b, ok := strings.Cut(strings.ToLower(s), "x")
	width, err1 := strconv.Atoi(strings.TrimSpace(a))
	height, err2 := strconv.Atoi(strings.TrimSpace(b))
	if !ok || err1 != nil || err2 != nil || min(width, height) < view.MinPicture || max(width, height) > view.MaxPicture {
		return 0, 0, fmt.Errorf("size %q: expected width x height in pixels, each from %d to %d, such as 1280x800", s, view.MinPicture, view.MaxPicture)
	}
	return width, height, nil
}
