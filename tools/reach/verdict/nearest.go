package verdict

// nearest returns the candidate that differs least from name, or "" where none is close enough to be what
// was meant: a third of the name, but at least two edits.
func nearest(name string, candidates []string) string {
	best, limit := "", max(2, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(name, c); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of neighbours between two names.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
