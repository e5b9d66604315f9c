package command

import (
	"fmt"
	"os"
	"path/filepath"
)

// readTables reads files, and of folders all FAMILY.kind that are in them.
func readTables[T any](paths []string, kind string, read func([]byte) (*T, error)) ([]*T, error) {
	var out []*T
	for _, path := range paths {
		files := []string{path}
		st, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if st.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*."+kind)); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if len(files) == 0 {
				return nil, fmt.Errorf("%s: there is no FAMILY.%s in it", path, kind)
			}
		}
		for _, file := range files {
			p, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			t, err := read(p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			out = append(out, t)
		}
	}
	return out, nil
}
