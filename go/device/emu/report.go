package emu

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/warpwright/warpwright/go/device/backend"
)

// Kinds that are not a sanitizer's or the emulator's own words.
const (
	KindUndefined = "undefined behaviour" // UndefinedBehaviorSanitizer; Message says which
	KindRace      = "data race"           // ThreadSanitizer
	KindCrash     = "crash"               // the process died without a report
)

// Report is a fault that ended the emulator's process: what, in which thread of which kernel, and where
// in the source.
type Report struct {
	Tool    string // "AddressSanitizer", "UndefinedBehaviorSanitizer", "ThreadSanitizer" or "emulator"
	Kind    string // "heap-buffer-overflow", "data race", "deadlock", "divergent barrier", ...
	Message string // one line in the tool's words

	Kernel, Entry string
	Block, Thread backend.Dim3
	Warp, Lane    int
	File          string
	Line          int

	Exit string // how the process ended
	Text string // all that it said
}

// Error says the fault in one line.
func (r *Report) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "emu: %s: %s", r.Tool, r.Kind)
	if r.Entry != "" {
		fmt.Fprintf(&b, " in %s (kernel %s), block %v, thread %v, lane %d", r.Entry, r.Kernel, r.Block, r.Thread, r.Lane)
	}
	if r.File != "" {
		fmt.Fprintf(&b, ", at %s:%d", r.File, r.Line)
	}
	if r.Message != "" {
		fmt.Fprintf(&b, ": %s", r.Message)
	}
	if r.Kind == KindCrash {
		fmt.Fprintf(&b, " (%s)", r.Exit)
		if text := strings.TrimSpace(r.Text); text != "" {
			fmt.Fprintf(&b, ": %s", text)
		}
	}
	return b.String()
}

// The lines of reports. The emulator's are listed in emu/report.h.
var (
	emuError  = regexp.MustCompile(`(?m)^emu: error: ([^:\n]+): (.*)$`)
	emuAt     = regexp.MustCompile(`(?m)^emu: at (.+):(\d+):\d+$`)
	emuWhere  = regexp.MustCompile(`(?m)^emu: kernel (\S+) entry (\S+) block \((\d+),(\d+),(\d+)\) thread \((\d+),(\d+),(\d+)\) warp (\d+) lane (\d+) `)
	asanError = regexp.MustCompile(`(?m)^==\d+==\s*ERROR: AddressSanitizer: (\S+)(.*)$`)
	asanTouch = regexp.MustCompile(`(?m)^(READ|WRITE) of size \d+`)
	asanPlace = regexp.MustCompile(`(?m)is located (.*)$|^\s+\[\d+, \d+\) '.*<== Memory access.*$`)
	ubError   = regexp.MustCompile(`(?m)^(.+):(\d+):\d+: runtime error: (.*)$`)
	tsanError = regexp.MustCompile(`(?m)^(?:WARNING|FATAL|==\d+==\s*ERROR): ThreadSanitizer: (data race|\S+)`)
	tsanTouch = regexp.MustCompile(`(?mi)^\s+((?:Previous )?(?:atomic )?(?:read|write)) of size (\d+) at \S+ by (?:main )?thread ?(T\d+)?`)
	tsanName  = regexp.MustCompile(`(?m)^\s+Thread (T\d+) '(.*?)' `)
	frame     = regexp.MustCompile(`(?m)^\s+#\d+ (?:0x[0-9a-f]+ in )?.*? (\S+?):(\d+)(?::\d+)?(?: \(.*\))?$`)
)

// parseReport reads what the process wrote before it died, or is nil if there is no report in it.
func parseReport(text string) *Report {
	r := &Report{Text: text}
	switch {
	case emuError.MatchString(text):
		m := emuError.FindStringSubmatch(text)
		r.Tool, r.Kind, r.Message = "emulator", m[1], m[2]
		if at := emuAt.FindStringSubmatch(text); at != nil {
			r.File, r.Line = at[1], atoi(at[2])
		}
	case ubError.MatchString(text):
		m := ubError.FindStringSubmatch(text)
		r.Tool, r.Kind, r.Message = "UndefinedBehaviorSanitizer", KindUndefined, m[3]
		r.File, r.Line = m[1], atoi(m[2])
	case asanError.MatchString(text):
		m := asanError.FindStringSubmatch(text)
		r.Tool, r.Kind, r.Message = "AddressSanitizer", m[1], asanMessage(text, m[2])
	case tsanError.MatchString(text):
		m := tsanError.FindStringSubmatch(text)
		r.Tool, r.Kind, r.Message = "ThreadSanitizer", m[1], tsanMessage(text)
	default:
		return nil
	}
	if m := emuWhere.FindStringSubmatch(text); m != nil {
		r.Kernel, r.Entry = m[1], m[2]
		r.Block, r.Thread = dim3(m[3:6]), dim3(m[6:9])
		r.Warp, r.Lane = atoi(m[9]), atoi(m[10])
	}
	r.locate()
	return r
}

// locate prefers the innermost frame in a kernel's source over a header, and any frame over nothing.
func (r *Report) locate() {
	if !strings.HasSuffix(r.File, ".cu") {
		for _, m := range frame.FindAllStringSubmatch(r.Text, -1) {
			cu := strings.HasSuffix(m[1], ".cu")
			if r.File == "" || cu {
				r.File, r.Line = m[1], atoi(m[2])
			}
			if cu {
				break
			}
		}
	}
	// Bazel compiles below /proc/self/cwd, which names nothing later.
	if r.File != "" {
		r.File = strings.TrimPrefix(path.Clean(r.File), "/proc/self/cwd/")
	}
}

func asanMessage(text, rest string) string {
	var parts []string
	if m := asanTouch.FindString(text); m != "" {
		parts = append(parts, m)
	}
	if m := asanPlace.FindString(text); m != "" {
		parts = append(parts, strings.TrimSpace(m))
	}
	if len(parts) == 0 {
		return strings.TrimSpace(rest)
	}
	return strings.Join(parts, " ")
}

// tsanMessage says who touched what, by the names that the emulator gives its threads.
func tsanMessage(text string) string {
	names := map[string]string{"": "the host"}
	for _, m := range tsanName.FindAllStringSubmatch(text, -1) {
		names[m[1]] = m[2]
	}
	var parts []string
	for _, m := range tsanTouch.FindAllStringSubmatch(text, -1) {
		name, ok := names[m[3]]
		if !ok {
			name = m[3]
		}
		parts = append(parts, fmt.Sprintf("%s of %s bytes by %s", strings.ToLower(m[1]), m[2], name))
	}
	return strings.Join(parts, ", ")
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // the expressions above match digits only
	return n
}

func dim3(s []string) backend.Dim3 {
	return backend.Dim3{X: uint32(atoi(s[0])), Y: uint32(atoi(s[1])), Z: uint32(atoi(s[2]))}
}
