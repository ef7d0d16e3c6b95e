package main

import (
	"os"
	"os/exec"
	"syscall"
)

// enter makes cmd run as the user of the image, with root as its root folder. It returns false if
// this user cannot do so.
func enter(cmd *exec.Cmd, root, dir string) bool {
	if os.Geteuid() != 0 {
		return false
	}
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return true
}
