package emu

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/warpwright/warpwright/go/device/backend"
)

// process is one run of the program. The device's lock guards it.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *headWriter
	greet  greeting
	memory map[*memory]bool // what it holds for us
	cause  error            // why it is dead; nil while it lives
}

// deathWait is how long a process that stopped answering gets to finish its report.
const deathWait = 30 * time.Second

func startProcess(path string, args []string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), stderr: &headWriter{limit: 1 << 20}, memory: map[*memory]bool{}}
	p.cmd.Stderr = p.stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("emu: %s: %w", path, err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("emu: %s: %w", path, err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("emu: start: %w: %w", backend.ErrNoDevice, err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 64<<10)
	r, err := p.exchange(opHello, str(protocolMagic), u32(protocolVersion))
	if err == nil {
		p.greet, err = r.greeting()
	}
	if err != nil {
		if p.cause == nil {
			p.die(err)
		}
		return nil, fmt.Errorf("emu: %s does not answer as an emulator: %w: %w", path, backend.ErrNoDevice, err)
	}
	return p, nil
}

// exchange sends a request and waits for its answer. An error that leaves p.cause nil is the program's
// answer, and the process lives.
func (p *process) exchange(op byte, request ...[]byte) (*reader, error) {
	if p.cause != nil {
		return nil, lost(p.cause)
	}
	err := writeRequest(p.in, op, request...)
	if err != nil {
		return nil, p.die(err)
	}
	status, payload, err := readAnswer(p.out)
	if err != nil {
		return nil, p.die(err)
	}
	switch text := string(payload); status {
	case statusOK:
		return &reader{rest: payload}, nil
	case statusNoMemory:
		return nil, fmt.Errorf("emu: %w: %s", backend.ErrOutOfMemory, text)
	case statusNoEntry:
		return nil, fmt.Errorf("emu: %w: %s", backend.ErrNoKernel, text)
	default:
		return nil, fmt.Errorf("emu: %s", text)
	}
}

// die waits for the process to end and makes what it said the cause of its death.
func (p *process) die(broken error) error {
	p.in.Close()
	defer p.killAfter(deathWait)()
	// Whatever it still writes must not block it.
	io.Copy(io.Discard, p.out)
	wait := p.cmd.Wait()
	end := "the process ended"
	if wait != nil {
		end = wait.Error()
	}
	if report := parseReport(p.stderr.String()); report != nil {
		report.Exit = end
		p.cause = report
	} else {
		p.cause = &Report{Tool: "emulator", Kind: KindCrash, Message: broken.Error(), Exit: end, Text: p.stderr.String()}
	}
	return p.cause
}

// killAfter ends the process if it has not answered by then: a launch that does not see its own deadline,
// for example. The returned function calls that off.
func (p *process) killAfter(limit time.Duration) (stop func() bool) {
	return time.AfterFunc(limit, func() { p.cmd.Process.Kill() }).Stop
}

// close ends a living process: the end of its input is its sign.
func (p *process) close() error {
	if p.cause != nil {
		return nil
	}
	p.cause = fmt.Errorf("emu: device: %w", backend.ErrClosed)
	p.in.Close()
	defer p.killAfter(deathWait)()
	io.Copy(io.Discard, p.out)
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("emu: close: %w: %s", err, p.stderr.String())
	}
	return nil
}

// lost is the answer of what died with a process. A closed device is said to be closed, not lost.
func lost(cause error) error {
	if errors.Is(cause, backend.ErrClosed) {
		return cause
	}
	return fmt.Errorf("emu: %w: %w", backend.ErrLost, cause)
}

// headWriter keeps the first bytes and drops the rest.
type headWriter struct {
	limit int
	mu    sync.Mutex
	head  []byte
}

func (w *headWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.head = append(w.head, p[:min(len(p), w.limit-len(w.head))]...)
	return len(p), nil
}

func (w *headWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.head)
}
