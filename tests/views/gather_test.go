package views

// gatherAttempts write through index arrays: what an array leads to belongs to a thread only if the array is a
// permutation, if the place belongs to the thread, and if nobody owns the element in another way.
func gatherAttempts() []attempt {
	const (
		place   = `for (auto i : threads(n)) `
		through = place + `y[order[i]] = z[i];`
		says    = `i must be order\[place\] of an Order<K, N>, at a place that is this thread's own`
	)
	out := []attempt{
		{name: "write through plain columns", fault: place + `y[cols[i]] = 1;`, says: says, control: through},
		{name: "write through another permutation", fault: `for (auto j : threads(l)) y[other[j]] = 1;`, says: says, control: through},
		{name: "write through a place of nobody", fault: `for (auto i : each(n)) y[order[i]] = 1;`, says: says, control: through},
		{name: "write at the place itself", fault: place + `y[i] = z[i];`, says: says, control: through},
		{name: "write by an owner of the element", fault: `for (auto i : threads(k)) y[i] = x[i];`, says: says, control: `for (auto i : threads(k)) own[i] = x[i];`},
		{name: "write through a permutation to what threads own", fault: place + `own[order[i]] = 1;`, says: `i comes from threads\(...\) over the extent D of Out<T, D>`, control: through},
		{name: "update through plain columns", fault: place + `kept[cols[i]] = 1;`, says: says, control: place + `kept[order[i]] = kept[order[i]] + 1;`},
		{name: "place of another extent", fault: `for (auto j : threads(l)) y[order[j]] = 1;`, says: `i must be an index of the places N of Order<K, N>`, control: through},
		{name: "place from a number", fault: `order[3];`, says: `i must be an index of the places N of Order<K, N>`, control: place + `order[i];`},
		{name: "element read back", fault: place + `W v = y[order[i]];`, says: `conversion from .*Cell<.*requested|cannot convert`, control: place + `W v = x[order[i]];`},
		{name: "element for a place", fault: place + `z[order[i]];`, says: `i must be an index of the extent D of In<T, D>`, control: place + `x[order[i]];`},
		{name: "placed index from a number", fault: `PlacedIx<K, N> p(5);`, says: `no matching function for call to .*PlacedIx<`, control: place + `PlacedIx<K, N> p = order[i];`},
		{name: "placed index with a mint of one's own", fault: `PlacedIx<K, N> p(Mint(), 5);`, says: `Mint::Mint\(\)' is private`, control: place + `PlacedIx<K, N> p = order[i];`},
		{name: "placed index by a cast", fault: place + `y[static_cast<PlacedIx<K, N>>(cols[i])] = 1;`, says: `no matching function for call to .*PlacedIx<`, control: through},
		{name: "placed index from bits", fault: `y[__builtin_bit_cast(PlacedIx<K, N>, i32(5))] = 1;`, says: `not trivially copyable`, control: through},
		{name: "permutation from a pointer", fault: `Order<K, N> more(static_cast<const i32*>(nullptr));`, says: `is private within this context`, control: `Order<K, N> same = order;`},
		{name: "sum at a placed index", fault: place + `sums.add(z[i], 1);`, says: `i must be an index of the extent D of Add<T, D>`, control: place + `sums.add(order[i], 1);`},
	}
	for i := range out {
		out[i].kernel = "PLACED"
	}
	return out
}
