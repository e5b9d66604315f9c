package source

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Digest tells sets of files apart, by their names and texts; the folders that they lie in do not count.
func Digest(files []*File) string {
	sum := sha256.New()
	sorted := slices.SortedFunc(slices.Values(files), func(a, b *File) int { return strings.Compare(path.Base(a.Name), path.Base(b.Name)) })
	for _, f := range sorted {
		fmt.Fprintf(sum, "%s %d\n%s", path.Base(f.Name), len(f.Text), f.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
