// Runs a program and keeps its output as a host of containers does: docker through its own copier in the log of its json-file
// driver, containerd in the log of its Container Runtime Interface.
package main

import (
	"io"
	"log"
	"os"
	"os/exec"

	cri "github.com/containerd/containerd/pkg/cri/io"
	"github.com/docker/docker/daemon/logger"
	"github.com/docker/docker/daemon/logger/jsonfilelog"
)

// containerd's default, max_container_log_line_size.
const longest = 16 * 1024

func main() {
	hosts := map[string]func(string, *exec.Cmd) error{"docker": docker, "containerd": containerd}
	if len(os.Args) < 4 || hosts[os.Args[1]] == nil {
		log.Fatal("usage: containers docker|containerd LOG PROGRAM [ARGUMENT...]")
	}
	if err := hosts[os.Args[1]](os.Args[2], exec.Command(os.Args[3], os.Args[4:]...)); err != nil {
		log.Fatal(err)
	}
}

func docker(path string, program *exec.Cmd) error {
	driver, err := jsonfilelog.New(logger.Info{LogPath: path})
	if err != nil {
		return err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return err
	}
	errors, err := program.StderrPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return err
	}
	copier := logger.NewCopier(map[string]io.Reader{"stdout": out, "stderr": errors}, driver)
	copier.Run()
	copier.Wait()
	if err := program.Wait(); err != nil {
		return err
	}
	return driver.Close()
}

func containerd(path string, program *exec.Cmd) error {
	// Both streams write to the file, a line at a time.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o640)
	if err != nil {
		return err
	}
	out, outWritten := cri.NewCRILogger(path, file, cri.Stdout, longest)
	errors, errorsWritten := cri.NewCRILogger(path, file, cri.Stderr, longest)
	program.Stdout, program.Stderr = out, errors
	if err := program.Run(); err != nil {
		return err
	}
	for _, stream := range []io.Closer{out, errors} {
		if err := stream.Close(); err != nil {
			return err
		}
	}
	<-outWritten
	<-errorsWritten
	return file.Close()
}
