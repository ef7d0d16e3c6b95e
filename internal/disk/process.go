package disk

import (
	"errors"
	"os"
)

// Start starts the program at path without input and output. The first argument is the name of the
// program. wait waits for the end of the program, and returns an error if the program fails. Start
// does not use package os/exec, which would make the command 1 % larger.
func Start(path string, arguments []string) (wait func() error, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	p, err := os.StartProcess(path, arguments, &os.ProcAttr{Files: []*os.File{null, null, null}})
	if err != nil {
		return nil, err
	}
	return func() error {
		state, err := p.Wait()
		if err == nil && !state.Success() {
			err = errors.New("the program ended with " + state.String())
		}
		return err
	}, nil
}
