// Package document reads and writes the JSON documents that the build ships beside images: each says in "schema" which version of its
// package it is of.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Read parses a document of a schema into v. One of another schema has other fields too, so the schema is looked at
// first. what begins errors.
func Read(p []byte, what string, schema int, v any) error {
	var head struct {
		Schema int `json:"schema"`
	}
	if err := json.Unmarshal(p, &head); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := Schema(what, head.Schema, schema); err != nil {
		return err
	}
	return Decode(p, what, v)
}

// Schema is the error of a document that is not of the schema which the program reads; nil for one that is.
func Schema(what string, got, want int) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s: schema is %d, this program reads %d: rebuild the images or take matching ones", what, got, want)
}

// Decode parses what has no schema of its own. A field that v does not have is an error.
func Decode(p []byte, what string, v any) error {
	d := json.NewDecoder(bytes.NewReader(p))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Write prints v, the same bytes for the same value. It leaves "<" and "&" as they are: types and relations are full
// of them.
func Write(what string, v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return b.Bytes(), nil
}
