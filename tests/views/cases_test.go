package views

// attempt is one way to misuse the views, and the right way beside it. Both are the body of a kernel of
// testdata/views.cu: line, unless the attempt names another.
type attempt struct {
	name    string
	kernel  string // the kernel whose body it is: "LINE", "SQUARE", "CELLS" ...; LINE where empty
	before  string // declared before the kernels, for both
	forged  string // declared before the kernels, for the fault alone
	fault   string
	says    string // what the compiler must say, a regular expression
	control string // compiles
}

const (
	own   = `for (auto i : threads(m)) `
	group = `for (auto row : groups<8>(m)) `
	block = `for (auto row : blocks(m)) `
	run   = `runs<4>(m, [&](auto run) { `
)

// attempts are all that the design names, one a line: indices made up, views made up, what an index is not
// of, who does not own an element, what is no value of all lanes, shapes, tokens and runs.
func attempts() []attempt {
	return []attempt{
		// An index is minted by a loop or read from validated data.
		{name: "index from a number", fault: `Ix<M> i(5);`, says: `no matching function for call to .*Ix<`, control: own + `{ Ix<M> j(i); z[j]; }`},
		{name: "index from nothing", fault: `Ix<M> i{};`, says: `no matching function for call to .*Ix<`, control: own + `Ix<M> j = i;`},
		{name: "index by conversion", fault: `z[3];`, says: `i must be an index of the extent D of In<T, D>`, control: own + `z[i];`},
		{name: "index from its value", fault: own + `z[i.value() + 1];`, says: `i must be an index of the extent D of In<T, D>`, control: own + `z[i];`},
		{name: "index with a mint of one's own", fault: `Ix<M> i(Mint(), 5);`, says: `Mint::Mint\(\)' is private`, control: own + `Ix<M> j = i;`},
		{name: "index with a mint in braces", fault: `Ix<M> i({}, 5);`, says: `Mint::Mint\(\)' is private|could not convert|no matching function`, control: own + `Ix<M> j = i;`},
		{name: "mint by inheritance", forged: `struct Key : Mint { Key() {} };`, fault: `Ix<M> i(Key(), 5);`, says: `Mint::Mint\(\)' is private`, control: own + `z[i];`},
		{name: "mint from bits", forged: `struct Empty {};`, fault: `Ix<M> i(__builtin_bit_cast(Mint, Empty()), 5);`, says: `not trivially copyable`, control: own + `z[i];`},
		{name: "index by inheritance", fault: `struct Fake : Ix<M> {}; Fake f;`, says: `cannot derive from .final. base`, control: own + `z[i];`},
		{name: "index from bits", fault: `z[__builtin_bit_cast(Ix<M>, u64(5))];`, says: `not trivially copyable`, control: own + `z[i];`},
		{name: "owned index from bits", fault: `y[__builtin_bit_cast(ThreadIx<M>, u64(5))] = 1;`, says: `not trivially copyable`, control: own + `y[i] = 1;`},
		{name: "owner by a cast", fault: `for (auto i : each(m)) y[static_cast<ThreadIx<M>>(i)] = 1;`, says: `no matching function for call to .*ThreadIx<`, control: own + `y[i] = 1;`},
		{name: "owner by a cast of the reference", fault: `for (auto i : each(m)) y[static_cast<const ThreadIx<M>&>(i)] = 1;`, says: `invalid .static_cast.|no matching function|invalid initialization`, control: own + `y[i] = 1;`},
		{name: "span of one's own", fault: `for (auto e : Span<N, 1>(0, 5)) weights.term(e, 1);`, says: `no matching function for call to .*Span<`, control: own + `for (auto e : rows.all(i)) weights.term(e, 1);`},
		{name: "loop of one's own", forged: `struct Loop : Stride { Loop(u64 n) : Stride(0, 1, n) {} };`, fault: `Loop loop(5);`, says: `no matching function for call to .*Stride`, control: own + `z[i];`},
		{name: "iterator of one's own", fault: `z[*typename Threads<M>::Iterator(0, 1, 5)];`, says: `no matching function for call to .*Iterator`, control: own + `z[i];`},

		// Extents and views are made by the generated entries.
		{name: "extent from a number", fault: `Dim<M> more(5);`, says: `Dim<D>::Dim\(.*\)( \[.*\])?. is private`, control: `Dim<M> same = m; for (auto i : threads(same)) z[i];`},
		{name: "extent from bits", fault: `Dim<M> more = __builtin_bit_cast(Dim<M>, u64(5));`, says: `not trivially copyable`, control: `Dim<M> same = m;`},
		{name: "input from a pointer", fault: `In<W, M> more(static_cast<const W*>(nullptr));`, says: `is private within this context`, control: `In<W, M> same = z;`},
		{name: "output from a pointer", fault: `Out<W, M> more(static_cast<W*>(nullptr));`, says: `is private within this context`, control: `Out<W, M> same = y;`},
		{name: "output from bits", fault: `Out<W, M> more = __builtin_bit_cast(Out<W, M>, u64(5));`, says: `not trivially copyable`, control: `Out<W, M> same = y;`},
		{name: "output of an input", fault: `Out<W, M> more(z);`, says: `no matching function for call to .*Out<`, control: `Out<W, M> same(y);`},
		{name: "cell from a pointer", fault: `Cell<W>(static_cast<W*>(nullptr)) = 1;`, says: `is private within this context`, control: own + `y[i] = 1;`},
		{name: "pointer of a view", fault: `*y.p_ = 1;`, says: `p_. is private`, control: own + `y[i] = 1;`},
		{name: "shared memory by its pointer", fault: `partial.p_[5] = 1;`, says: `p_. is private`, control: block + `sum(row, partial, W(1));`},
		{name: "entry of one's own", forged: `struct ww::Entry { template <class D> static Dim<D> dim(u64 n) { return Dim<D>(n); } };`, fault: `Entry::dim<M>(5);`, says: `redefinition of .struct ww::Entry.`, control: own + `z[i];`},
		{name: "the entries' parts, looked up late", before: `template <class> struct Late { using type = Entry; };`, fault: `auto more = Late<M>::type::template dim<M>(5);`, says: `is private within this context`, control: own + `z[i];`},
		{name: "the entries' parts, by name", fault: `auto more = Entry::dim<M>(5);`, says: `incomplete type .ww::Entry.`, control: own + `z[i];`},

		// An element is read by an index of its own extent.
		{name: "element of another extent", fault: own + `x[i];`, says: `i must be an index of the extent D of In<T, D>`, control: own + `for (auto e : rows.all(i)) x[cols[e]];`},
		{name: "entry for a column", fault: own + `for (auto e : rows.all(i)) x[e];`, says: `i must be an index of the extent D of In<T, D>`, control: own + `for (auto e : rows.all(i)) x[cols[e]];`},
		{name: "entry for a column in a sum", fault: own + `rows.all(i).sum(W(0), [=](auto e) { return x[e]; });`, says: `i must be an index of the extent D of In<T, D>`, control: own + `rows.all(i).sum(W(0), [=](auto e) { return x[cols[e]]; });`},
		{name: "row for an entry", fault: own + `cols[i];`, says: `e must be an index of the entries N of In<Col<K>, N>`, control: own + `for (auto e : rows.all(i)) cols[e];`},
		{name: "column for a row", fault: `for (auto c : threads(k)) rows.all(c);`, says: `cannot convert .*ThreadIx<extents::K<.* to .*Ix<extents::M<`, control: own + `rows.all(i);`},
		{name: "row for a weight", fault: own + `weights.term(i, 1);`, says: `cannot convert .*ThreadIx<extents::M<.* to .*Ix<extents::N<`, control: own + `for (auto e : rows.all(i)) weights.term(e, 1);`},
		{name: "strided element of another extent", fault: `for (auto c : threads(k)) every[c];`, says: `no match for .operator\[\].`, control: own + `every[i];`},
		{name: "idle group as an index", fault: group + `rows.all(row);`, says: `cannot convert .*GroupIx<extents::M<.* to .*Ix<extents::M<`, control: group + `rows.lanes(row);`},
		{name: "group that asks whether it is idle", fault: group + `{ if (!row.active()) continue; }`, says: `no matching function for call to .*active`, control: group + `z[row];`},
		{name: "sum at an index of another extent", fault: own + `sums.add(i, 1);`, says: `i must be an index of the extent D of Add<T, D>`, control: own + `for (auto e : rows.all(i)) sums.add(cols[e], 1);`},

		// An element is written by its owner, and each buffer has one kind of owner.
		{name: "nobody's index writes", fault: `for (auto i : each(m)) y[i] = 1;`, says: `the element must be this thread's own`, control: own + `y[i] = 1;`},
		{name: "a stored index writes", fault: own + `for (auto e : rows.all(i)) y[cols[e]] = 1;`, says: `the element must be this thread's own`, control: own + `y[i] = 1;`},
		{name: "another extent's thread writes", fault: `for (auto c : threads(k)) y[c] = 1;`, says: `the element must be this thread's own`, control: own + `y[i] = 1;`},
		{name: "threads and blocks write one buffer", fault: own + `y[i] = 1; ` + block + `y[row] = 2;`, says: `the element must be this thread's own`, control: own + `y[i] = 1; ` + block + `blocked.put(row, sum(row, partial, W(1)));`},
		{name: "blocks and threads write one buffer", fault: own + `blocked.put(i, W(1));`, says: `i comes from blocks\(...\) over the extent D`, control: block + `blocked.put(row, sum(row, partial, W(1)));`},
		{name: "threads write a group's buffer", fault: own + `grouped[i] = 1;`, says: `no match for .operator\[\].`, control: own + `y[i] = 1;`},
		{name: "groups of another size write", fault: `for (auto row : groups<4>(m)) grouped.put(row, sum(row, W(1)));`, says: `i comes from groups<S>\(...\) over the extent D`, control: group + `grouped.put(row, sum(row, W(1)));`},
		{name: "another's element kept", fault: `for (auto i : each(m)) kept[i] = 1;`, says: `the element must be this thread's own`, control: own + `kept[i] = kept[i] + 1;`},
		{name: "another's element read while it may be written", fault: `for (auto i : each(m)) W v = kept[i];`, says: `the element must be this thread's own`, control: own + `W v = kept[i];`},
		{name: "strided element of nobody", fault: `for (auto i : each(m)) every_out[i] = 1;`, says: `no match for .operator\[\].`, control: own + `every_out[i] = every[i];`},
		{name: "view of elements that stand nowhere apart", fault: `sizeof(Out<Every<W, 0>, M>);`, says: `elements that stand apart by less than one would be one element`, control: `sizeof(Out<Every<W, 1>, M>);`},
		{name: "input of elements that stand nowhere apart", fault: `sizeof(In<Every<W, 0>, M>);`, says: `elements that stand apart by less than one would be one element`, control: `sizeof(In<Every<W, 1>, M>);`},
		{name: "elements that stand nowhere apart", fault: `Every<W, 0> e;`, says: `elements that stand apart by less than one would be one element`, control: `Every<W, 1> e;`},

		// Directions.
		{name: "output that is read", fault: own + `W v = y[i];`, says: `cannot convert .*Cell`, control: own + `{ y[i] = 1; W v = kept[i]; }`},
		{name: "output that is added to", fault: own + `y[i] += 1;`, says: `no match for .operator\+=.`, control: own + `kept[i] = kept[i] + 1;`},
		{name: "output from an output", fault: own + `y[i] = y[i];`, says: `use of deleted function`, control: own + `y[i] = z[i];`},
		{name: "input that is written", fault: own + `z[i] = 1;`, says: `lvalue required|using temporary as lvalue`, control: own + `y[i] = z[i];`},
		{name: "sums that are read", fault: own + `for (auto e : rows.all(i)) sums[cols[e]];`, says: `no match for .operator\[\].`, control: own + `for (auto e : rows.all(i)) sums.add(cols[e], 1);`},

		// Collectives run where all lanes are, and give what all lanes hold alike.
		{name: "sum of threads", fault: own + `sum(i, W(1));`, says: `no matching function for call to .*sum`, control: group + `sum(row, W(1));`},
		{name: "sum of entries", fault: group + `for (auto e : rows.lanes(row)) sum(e, W(1));`, says: `no matching function for call to .*sum`, control: group + `{ W part = 0; for (auto e : rows.lanes(row)) part += weights.term(e, 1); sum(row, part); }`},
		{name: "sum of nobody", fault: `sum(W(1));`, says: `no matching function for call to .*sum`, control: group + `sum(row, W(1));`},
		{name: "sum of a block in too little memory", fault: block + `sum(row, four, W(1));`, says: `one element of shared memory a warp`, control: block + `sum(row, partial, W(1));`},
		{name: "put of one lane's value", fault: group + `grouped.put(row, W(1));`, says: `v is what all its lanes hold, a Uniform of that group`, control: group + `grouped.put(row, sum(row, W(1)));`},
		{name: "put of the lane", fault: group + `grouped.put(row, lane());`, says: `v is what all its lanes hold, a Uniform of that group`, control: group + `grouped.put(row, sum(row, W(1)), [](W v) { return 2 * v; });`},
		{name: "put of one thread's value", fault: block + `blocked.put(row, W(1));`, says: `v is what all its threads hold, a Uniform of that block`, control: block + `blocked.put(row, sum(row, partial, W(1)));`},
		{name: "put of a group's value by a block", fault: block + `for (auto g : groups<8>(m)) blocked.put(row, sum(g, W(1)));`, says: `v is what all its threads hold, a Uniform of that block`, control: block + `blocked.put(row, sum(row, partial, W(1)));`},
		{name: "value that claims to be uniform", fault: group + `grouped.put(row, Uniform<W, GroupIx<M, 8>>(lane()));`, says: `is private within this context`, control: group + `grouped.put(row, sum(row, W(1)));`},
		{name: "uniform value from bits", fault: group + `grouped.put(row, __builtin_bit_cast(Uniform<W, GroupIx<M, 8>>, W(1)));`, says: `not trivially copyable`, control: group + `grouped.put(row, sum(row, W(1)));`},
		{name: "uniform value with a lane's share", fault: group + `grouped.put(row, sum(row, W(1)).map([&](W v) { return v + lane(); }));`, says: `has no member named .map.`, control: group + `grouped.put(row, sum(row, W(1)), [&](W v) { return v + lane(); });`},
		{name: "members of the block by another width", fault: block + `for (auto e : rows.template threads<32>(row)) weights.term(e, 1);`, says: `threads`, control: block + `for (auto e : rows.threads(row)) weights.term(e, 1);`},
		{name: "members of the block in a group", fault: group + `rows.threads(row);`, says: `cannot convert .*GroupIx<.* to .*BlockIx<`, control: block + `rows.threads(row);`},
		{name: "lanes of a block", fault: block + `rows.lanes(row);`, says: `no matching function for call to .*lanes`, control: group + `rows.lanes(row);`},

		// Shapes are the entry's.
		{name: "group of three", fault: `for (auto row : groups<3>(m)) z[row];`, says: `a group is a power of two of at most 32 lanes`, control: `for (auto row : groups<4>(m)) z[row];`},
		{name: "group of two warps", fault: `for (auto row : groups<64>(m)) z[row];`, says: `a group is a power of two of at most 32 lanes`, control: `for (auto row : groups<32>(m)) z[row];`},
		{name: "threads of a square", kernel: "SQUARE", fault: own + `y[i] = 1;`, says: `threads\(...\) wants blocks and threads in one row`, control: `m.size();`},
		{name: "groups of a square", kernel: "SQUARE", fault: group + `row.value();`, says: `groups<S>\(...\) wants blocks and threads in one row`, control: `m.size();`},
		{name: "blocks of a square", kernel: "SQUARE", fault: block + `row.value();`, says: `blocks\(...\) wants blocks and threads in one row`, control: `m.size();`},
		{name: "runs of a square", kernel: "SQUARE", fault: run + `run.first(); });`, says: `runs<V>\(...\) wants blocks and threads in one row`, control: `m.size();`},
		{name: "groups in a part of a warp", kernel: "ODD", fault: group + `row.value();`, says: `groups<S>\(...\) wants whole warps`, control: own + `y[i] = 1;`},
		{name: "sums in a part of a warp", kernel: "ODD", fault: block + `row.value();`, says: `blocks\(...\) wants whole warps`, control: own + `y[i] = 1;`},
		{name: "extent of another shape", fault: `struct Other { using rep = u64; using shape = Shape<8, 8, 1, 2>; }; Dim<Other> more = m;`, says: `conversion from .*Dim`, control: `Dim<M> same = m;`},

		// A token is passed in sight or not at all.
		{name: "token of one's own", fault: `Unchecked might;`, says: `Unchecked::Unchecked\(\)' is private`, control: `const Unchecked& same = may; z.at(same, 0);`},
		{name: "token in braces", fault: `z.at({}, 0);`, says: `Unchecked::Unchecked\(\)' is private|could not convert|no matching function`, control: `z.at(may, 0);`},
		{name: "token from bits", forged: `struct Empty {};`, fault: `z.at(__builtin_bit_cast(Unchecked, Empty()), 0);`, says: `not trivially copyable`, control: `z.at(may, 0);`},
		{name: "token by inheritance", forged: `struct Mine : Unchecked {};`, fault: `z.at(Mine(), 0);`, says: `cannot derive from .final. base`, control: `z.at(may, 0);`},
		{name: "token that is copied", fault: `auto might = may;`, says: `use of deleted function`, control: `const auto& same = may;`},
		{name: "token that is captured", fault: `auto f = [=](u64 i) { return z.at(may, i); };`, says: `use of deleted function`, control: `auto f = [&](u64 i) { return z.at(may, i); };`},
		{name: "token that leaks into a callee", before: `template <class V> WW_DEV auto first(V v) { return v.at(Unchecked(), 0); } template <class V> WW_DEV auto given(const Unchecked& may, V v) { return v.at(may, 0); }`, fault: `first(z);`, says: `Unchecked::Unchecked\(\)' is private`, control: `given(may, z);`},
		{name: "token that a callee takes for good", before: `template <class V> WW_DEV auto taken(Unchecked may, V v) { return v.at(may, 0); } template <class V> WW_DEV auto given(const Unchecked& may, V v) { return v.at(may, 0); }`, fault: `taken(may, z);`, says: `use of deleted function`, control: `given(may, z);`},
		{name: "token that a caller gets back", forged: `WW_DEV Unchecked back(const Unchecked& may) { return may; }`, fault: `z.at(back(may), 0);`, says: `use of deleted function`, control: `z.at(may, 0);`},
		{name: "unchecked access without a token", fault: `z.at(0);`, says: `no matching function for call to .*at`, control: `z.at(may, 0);`},
		{name: "unchecked write without a token", fault: `y.at(0) = 1;`, says: `no matching function for call to .*at`, control: `y.at(may, 0) = 1; grouped.at(may, 0) = 1; blocked.at(may, 0) = 1; kept.at(may, 0) = kept.at(may, 1); sums.add(may, 0, 1);`},
		{name: "unchecked output that is read", fault: `W v = y.at(may, 0);`, says: `cannot convert .*Cell`, control: `y.at(may, 0) = 1;`},

		// Runs.
		{name: "token by conversion", forged: `struct Any { template <class T> operator const T&() const; };`, fault: own + `y.at(Any(), i.value()) = 1;`, says: `no matching function for call to .*at`, control: own + `y.at(may, i.value()) = 1;`},
		{name: "input in runs of 32 bytes", fault: `sizeof(In<Run<W, 8>, M>);`, says: `a run is a power of two of elements`, control: `sizeof(In<Run<f16, 8>, M>);`},
		{name: "output in runs of 32 bytes", fault: `sizeof(Out<Run<W, 8>, M>);`, says: `a run is a power of two of elements`, control: `sizeof(Out<Run<f16, 8>, M>);`},
		{name: "kept runs of 32 bytes", fault: `sizeof(InOut<Run<W, 8>, M>);`, says: `a run is a power of two of elements`, control: `sizeof(InOut<Run<f16, 8>, M>);`},
		{name: "run of five", fault: `Run<W, 5> r;`, says: `a run is a power of two of elements`, control: `Run<W, 4> r;`},
		{name: "run of 32 bytes", fault: `Run<W, 8> r;`, says: `a run is a power of two of elements`, control: `Run<f16, 8> r;`},
		{name: "run of another length", fault: `runs<2>(m, [&](auto run) { runs_in[run]; });`, says: `no match for .operator\[\].`, control: run + `runs_in[run]; });`},
		{name: "run of another extent", fault: `runs<4>(k, [&](auto run) { runs_in[run]; });`, says: `no match for .operator\[\].`, control: run + `runs_in[run]; });`},
		{name: "run of a buffer that is not aligned to it", fault: run + `z[run]; });`, says: `i must be an index of the extent D of In<T, D>`, control: run + `runs_in[run]; });`},
		{name: "thread's index for a run", fault: own + `runs_out[i];`, says: `no match for .operator\[\].`, control: run + `runs_out[run] = runs_in[run]; });`},
		{name: "run for a thread's index", fault: run + `y[run] = 1; });`, says: `the element must be this thread's own`, control: run + `runs_out[run] = runs_in[run]; });`},
		{name: "run that is made up", fault: `runs_out[RunIx<M, 4, 4>(0)] = runs_in[RunIx<M, 4, 4>(0)];`, says: `no matching function for call to .*RunIx<`, control: run + `runs_out[run] = runs_in[run]; });`},
		{name: "run from bits", fault: `runs_in[__builtin_bit_cast(RunIx<M, 4, 4>, u64(5))];`, says: `not trivially copyable`, control: run + `runs_in[run]; });`},
		{name: "output run that is read", fault: run + `map([](W v) { return v; }, runs_out[run]); });`, says: `no matching function for call to .*of`, control: run + `map([](W v) { return v; }, runs_kept[run]); });`},
		{name: "element of a pack by its place", fault: run + `runs_in[run].v_[7]; });`, says: `v_.* is private`, control: run + `fold([](W sum, W v) { return sum + v; }, W(0), runs_in[run]); });`},
		{name: "run of other elements", fault: run + `runs_out[run] = map([](W v) { return f64(v); }, runs_in[run]); });`, says: `no match for .operator=.`, control: run + `runs_out[run] = map([](W v) { return 2 * v; }, runs_in[run]); });`},
	}
}
