// Package faults is the museum of faults: each piece in pieces is a fault that someone once wrote, with
// the tool that must find it and the words that it must say, and its repair, which every tool must pass.
// Adding a piece is adding a file; README.md says what stands in one. docs/faults.md is made of them.
package faults
