package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

func (l *commandLine) completionCommand() *cobra.Command {
	shells := map[string]func() error{
		"bash":       l.changed("bash", func(w io.Writer) error { return l.root.GenBashCompletionV2(w, false) }),
		"zsh":        l.changed("zsh", l.root.GenZshCompletionNoDesc),
		"fish":       l.changed("fish", func(w io.Writer) error { return l.root.GenFishCompletion(w, false) }),
		"powershell": func() error { return l.root.GenPowerShellCompletion(l.Out) },
	}
	return &cobra.Command{
		Use: "completion SHELL",
		Long: `Usage:
  inpoly completion SHELL

Prints a script that completes commands and flags, for bash, zsh, fish or
powershell.

Example:
  source <(inpoly completion bash)
  inpoly completion fish > ~/.config/fish/completions/inpoly.fish
`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return term.Usagef("completion: expected one shell, found %s", plural.Count(int64(len(args)), "argument"))
			}
			return nil
		},
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			write, ok := shells[args[0]]
			if !ok {
				return term.DidYouMean(term.Usagef("completion %s: unknown shell: expected bash, zsh, fish or powershell", args[0]),
					"inpoly completion", args[0], []string{"bash", "zsh", "fish", "powershell"})
			}
			return write()
		},
	}
}

// scriptChanges replaces parts of cobra's scripts, by shell:
//
//   - Cobra's script for bash calls a function of the package bash-completion to read the words of
//     the line. Without the package, it fails.
//   - Cobra's scripts evaluate the whole line. The Tab key would thus run $(command), and in bash it
//     would empty the file of a redirection > FILE. Here only the name of the command is evaluated,
//     which can have a ~.
var scriptChanges = map[string][][2]string{
	"bash": {
		{"    _get_comp_words_by_ref \"$@\" cur prev words cword\n", ownWords},
		{`out=$(eval "${requestComp}" 2>/dev/null)`, `out=$(eval "${words[0]} __completeNoDesc \"\${args[@]}\"" 2>/dev/null)`},
	},
	"zsh": {
		{`__completeNoDesc ${words[2,-1]}"`, `__completeNoDesc ${(j: :)${(@q)${(@)words[2,-1]}:#}}"`},
	},
	"fish": {
		{`__completeNoDesc $args[2..-1] $lastArg"`, `__completeNoDesc "(string join ' ' -- (string escape -- $args[2..-1]) $lastArg)`},
	},
}

// ownWords reads the words of the line up to the cursor. Readline also splits words at = and : and
// others (COMP_WORDBREAKS), as in --method=cells. The loop joins words again that no blank
// separates. It runs in bash 3.2, which macOS has.
const ownWords = `    local i word rest=${COMP_LINE:0:COMP_POINT}
    rest=${rest#*"${COMP_WORDS[0]}"}
    words=("${COMP_WORDS[0]}")
    cword=0
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $rest == [[:blank:]]* ]]; then
            rest=${rest#"${rest%%[![:blank:]]*}"}
            cword=$((cword + 1))
            words[cword]=""
        fi
        ((i == COMP_CWORD)) && word=$rest
        words[cword]+=$word
        rest=${rest#"$word"}
    done
    cur=${words[cword]}
    prev=""
    ((cword > 0)) && prev=${words[cword-1]}
    return 0
`

// changed returns a function that prints the script of generate with scriptChanges.
func (l *commandLine) changed(shell string, generate func(io.Writer) error) func() error {
	return func() error {
		var s strings.Builder
		if err := generate(&s); err != nil {
			return err
		}
		text := s.String()
		for _, change := range scriptChanges[shell] {
			if strings.Count(text, change[0]) != 1 {
				return fmt.Errorf("completion %s: the script of the library does not have %q once", shell, change[0])
			}
			text = strings.Replace(text, change[0], change[1], 1)
		}
		_, err := io.WriteString(l.Out, text)
		return err
	}
}
