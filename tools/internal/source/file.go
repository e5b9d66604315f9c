// Package source holds the text of a C++ file, its tokens, and errors that point into it.
package source

import (
	"fmt"
	"sort"
	"strings"
)

// File is one source file.
type File struct {
	Name  string // as errors and generated code quote it: a repository path
	Text  string
	lines []int // where each line begins
}

// NewFile prepares text for positions.
func NewFile(name, text string) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Line returns the line, from 1, that holds the byte at offset.
func (f *File) Line(offset int) int {
	return sort.SearchInts(f.lines, offset+1)
}

// Errorf makes an Error at offset.
func (f *File) Errorf(offset int, format string, args ...any) *Error {
	return &Error{f, offset, fmt.Sprintf(format, args...)}
}

// Error is a mistake at a place of a file.
type Error struct {
	File   *File
	Offset int
	Msg    string
}

// Error prints file:line:col: message, the line, and a caret below the place.
func (e *Error) Error() string {
	line := e.File.Line(e.Offset)
	start := e.File.lines[line-1]
	text := e.File.Text[start:]
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	text = strings.TrimRight(text, "\r")
	col := min(e.Offset-start, len(text))
	// A tab stays a tab, so that the caret stands below its letter whatever a tab's width is.
	indent := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text[:col])
	return fmt.Sprintf("%s:%d:%d: %s\n  %s\n  %s^", e.File.Name, line, col+1, e.Msg, text, indent)
}
