package views

const (
	cell  = `for (auto at : cells) `
	tile  = `for (auto tile : tiles) for (auto step : steps<4>(k)) `
	part  = `for (auto part : parts) `
	once  = `for (auto tile : tiles) if (Tile<W, 4, 2> sums(0); true) `
	walk  = `pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto, auto) {});`
	stage = `stage(tile, xs.from(a, tile.rows(), step), ys.from(b, step, tile.cols())); `
)

// matrixAttempts are those of two and three dimensions: cells, tiles, parts, and shared memory.
func matrixAttempts() []attempt {
	return []attempt{
		// A matrix is read by its own rows and columns.
		{name: "row for a column", kernel: "CELLS", fault: cell + `e(at.col(), at.row());`, says: `r must be an index of the rows R of In<T, R, C>`, control: cell + `e(at.row(), at.col());`},
		{name: "column of another width", kernel: "CELLS", fault: cell + `a(at.row(), at.col());`, says: `c must be an index of the columns C of In<T, R, C>`, control: cell + `for (auto i : each(k)) a(at.row(), i);`},
		{name: "cell of another matrix", kernel: "CELLS", fault: cell + `a[at];`, says: `no match for .operator\[\].`, control: cell + `e[at];`},
		{name: "element from numbers", kernel: "CELLS", fault: `e(0, 0);`, says: `r must be an index of the rows R of In<T, R, C>`, control: cell + `e[at];`},
		{name: "row of another matrix's extent", kernel: "CELLS", fault: cell + `b.row(at.row());`, says: `cannot convert .*Ix<extents::M<.* to .*Ix<extents::K<`, control: cell + `a.row(at.row());`},
		{name: "column of another matrix's extent", kernel: "CELLS", fault: cell + `a.col(at.col());`, says: `cannot convert .*Ix<extents::N<.* to .*Ix<extents::K<`, control: cell + `b.col(at.col());`},
		{name: "row walked by another's columns", kernel: "CELLS", fault: cell + `for (auto i : each(k)) e.row(at.row())[i];`, says: `i must be an index of the extent D of In<T, D>`, control: cell + `for (auto i : each(k)) a.row(at.row())[i];`},
		{name: "zip of two lengths", kernel: "CELLS", fault: cell + `for (auto [u, v] : zip(k, a.row(at.row()), e.row(at.row()))) u + v;`, says: `i must be an index of the extent D of In<T, D>`, control: cell + `for (auto [u, v] : zip(k, a.row(at.row()), b.col(at.col()))) u + v;`},
		{name: "matrix of a cube by a row", kernel: "CELLS", fault: cell + `cube[at.row()];`, says: `no match for .operator\[\].|cannot convert`, control: cell + `for (auto i : each(k)) cube[i][at];`},
		{name: "cube with its indices exchanged", kernel: "CELLS", fault: cell + `for (auto i : each(k)) cube(at.row(), i, at.col());`, says: `no match for call to|cannot convert`, control: cell + `for (auto i : each(k)) cube(i, at.row(), at.col());`},
		{name: "fourth of three columns", kernel: "ROWS", fault: own + `for (auto j : each<4>()) colours(i, j);`, says: `c must be an index of the columns C of In<T, R, C>`, control: own + `for (auto j : each<3>()) colours(i, j);`},

		// A cell is written by the thread that has it.
		{name: "cell of nobody", kernel: "CELLS", fault: cell + `c(at.row(), at.col()) = 1;`, says: `the row must be this thread's own`, control: cell + `c[at] = 1;`},
		{name: "cell by a walk", kernel: "CELLS", fault: cell + `for (auto i : each(k)) c(i, at.col()) = 1;`, says: `the row must be this thread's own`, control: cell + `c[at] = e[at];`},
		{name: "cell of the turned matrix", kernel: "CELLS", fault: cell + `turned[at] = 1;`, says: `the cell must be this thread's own`, control: cell + `c[at] = 1;`},
		{name: "row of threads writes one element", kernel: "CELLS", fault: cell + `y[at.row()] = 1;`, says: `the element must be this thread's own`, control: cell + `c[at] = 1;`},
		{name: "kept cell of nobody", kernel: "CELLS", fault: cell + `kept(at.row(), at.col()) = 1;`, says: `the row must be this thread's own`, control: cell + `kept[at] = 2 * kept[at];`},
		{name: "cell that is read", kernel: "CELLS", fault: cell + `W v = c[at];`, says: `cannot convert .*Cell`, control: cell + `W v = kept[at];`},
		{name: "cell from a cell", kernel: "CELLS", fault: cell + `c[at] = c[at];`, says: `use of deleted function`, control: cell + `kept[at] = kept[at];`},
		{name: "cell from two indices", kernel: "CELLS", fault: cell + `c[CellIx<M, N>(at.row(), at.col())] = 1;`, says: `no matching function for call to .*CellIx<`, control: cell + `c[at] = 1;`},
		{name: "cell from bits", kernel: "CELLS", forged: `struct Two { int r, c; };`, fault: `c[__builtin_bit_cast(CellIx<M, N>, Two())] = 1;`, says: `not trivially copyable`, control: cell + `c[at] = 1;`},
		{name: "loop over cells from bits", kernel: "CELLS", forged: `struct Three { int r, c; bool is; };`, fault: `c[*__builtin_bit_cast(Once<CellIx<M, N>>, Three())] = 1;`, says: `not trivially copyable`, control: cell + `c[at] = 1;`},
		{name: "cells from extents", kernel: "CELLS", fault: `Cells<M, K> more(k, k);`, says: `no matching function for call to .*Cells<|is private`, control: `Cells<M, N> same = cells;`},
		{name: "matrix from a pointer", kernel: "CELLS", fault: `In<W, M, K> more(static_cast<const W*>(nullptr), k);`, says: `is private within this context`, control: `In<W, M, K> same = a;`},
		{name: "matrix of another width", kernel: "CELLS", fault: `In<W, M, N> more = a;`, says: `conversion from .*In<`, control: `In<W, M, K> more = a;`},
		{name: "element of a matrix without a token", kernel: "CELLS", fault: `e.at(3);`, says: `no matching function for call to .*at`, control: `e.at(may, 3);`},
		{name: "row of nobody", kernel: "ROWS", fault: `for (auto r : each(m)) for (auto c : each(k)) y(r, c) = 1;`, says: `the row must be this thread's own`, control: own + `for (auto c : each(k)) y(i, c) = 1;`},
		{name: "own row by its own number", kernel: "ROWS", fault: own + `y(i, i) = 1;`, says: `c must be an index of the columns C of Out<T, R, C>`, control: own + `for (auto c : each(k)) kept(i, c) = kept(i, c);`},
		{name: "threads write the rows of blocks", kernel: "ROWS", fault: own + `for (auto j : each<3>()) blocked(i, j) = 1;`, says: `no match for call to`, control: block + `for (auto j : each<3>()) blocked.put(row, j, sum(row, partial, W(1)), [](W v) { return v; });`},
		{name: "cells in a row of blocks", kernel: "ROWS", before: `template <class M, class K> WW_DEV void wants_cells(Cells<M, K> cells) { for (auto at : cells) at.row(); }`, fault: `sizeof(Cells<M, K>);`, says: `the grid of Cells has two axes`, control: `sizeof(Dim<M>);`},

		// A tile is the whole block's, and shared memory is filled by all of it.
		{name: "stage by a thread's cell", kernel: "TILES", fault: tile + `tile.cells([&](auto at, auto, auto) { stage(at, xs.from(a, tile.rows(), step), ys.from(b, step, tile.cols())); });`, says: `wants what a whole block has`, control: tile + stage},
		{name: "stage by nobody", kernel: "TILES", fault: tile + `stage(0, xs.from(a, tile.rows(), step));`, says: `wants what a whole block has`, control: tile + stage},
		{name: "whole block of one's own", kernel: "TILES", fault: `WholeBlock<typename M::shape> all;`, says: `no matching function for call to .*WholeBlock<`, control: `for (auto tile : tiles) auto all = tile.whole_block();`},
		{name: "whole block from bits", kernel: "TILES", forged: `struct Empty {};`, fault: `__builtin_bit_cast(WholeBlock<typename M::shape>, Empty());`, says: `not trivially copyable`, control: `for (auto tile : tiles) auto all = tile.whole_block();`},
		{name: "whole block by pretence", kernel: "TILES", forged: `struct All { int whole_block() const { return 0; } };`, fault: tile + `stage(All(), xs.from(a, tile.rows(), step));`, says: `wants what a whole block has`, control: tile + stage},
		{name: "fill without barriers", kernel: "TILES", fault: tile + `xs.from(a, tile.rows(), step).run(tile.whole_block());`, says: `is private within this context`, control: tile + stage},
		{name: "extent without room for a step", kernel: "TILES", fault: `for (auto far : steps<4>(Dim<Const<2147483647>>())) far.whole();`, says: `an extent leaves room for a loop's last step`, control: `for (auto far : steps<4>(Dim<Const<2147482623>>())) far.whole();`},
		{name: "shared tile of another shape", kernel: "TILES", fault: tile + `stage(tile, wrong.from(a, tile.rows(), step));`, says: `a SharedTile<T, H, W> takes H rows and W columns`, control: tile + stage},
		{name: "shared tile turned", kernel: "TILES", fault: tile + `stage(tile, ys.from(a, tile.rows(), step));`, says: `a SharedTile<T, H, W> takes H rows and W columns`, control: tile + stage},
		{name: "tile's rows of a matrix with others", kernel: "TILES", fault: tile + `stage(tile, xs.from(turned, tile.rows(), step));`, says: `a SharedTile<T, H, W> takes H rows and W columns`, control: tile + stage},
		{name: "shared memory before it is filled", kernel: "TILES", fault: `for (auto tile : tiles) for (auto p : each<4>()) for (auto i : each<2>()) xs(tile.row(i), p);`, says: `no match for call to`, control: tile + `{ auto [x, y] = ` + stage + `for (auto p : each<4>()) for (auto i : each<2>()) x(tile.row(i), p); }`},
		{name: "shared memory by its place", kernel: "TILES", fault: `xs.at(0, 0) = 1;`, says: `is private within this context`, control: tile + stage},
		{name: "filled tile turned", kernel: "TILES", fault: tile + `{ auto [x, y] = ` + stage + `for (auto p : each<4>()) for (auto i : each<2>()) x(p, tile.row(i)); }`, says: `no match for call to`, control: tile + `{ auto [x, y] = ` + stage + `for (auto p : each<4>()) for (auto i : each<2>()) x(tile.row(i), p); }`},
		{name: "filled tile that is written", kernel: "TILES", fault: tile + `{ auto [x, y] = ` + stage + `for (auto p : each<4>()) for (auto i : each<2>()) x(tile.row(i), p) = 1; }`, says: `lvalue required|using temporary as lvalue`, control: tile + stage},
		{name: "place in a tile from a number", kernel: "TILES", fault: `for (auto tile : tiles) tile.row(2);`, says: `cannot convert|could not convert|no matching function`, control: `for (auto tile : tiles) for (auto i : each<2>()) tile.row(i);`},
		{name: "index of a part without its test", kernel: "TILES", fault: tile + `for (auto p : each<4>()) step.at(p);`, says: `no matching function for call to .*at`, control: tile + `for (auto p : each<4>()) step.has(p);`},
		{name: "part that claims to be whole", kernel: "TILES", fault: tile + `auto more = step.known_whole();`, says: `no matching function for call to .*known_whole`, control: tile + `step.whole();`},
		{name: "part of one's own", kernel: "TILES", fault: `Part<K, 4, true> more(0, 4);`, says: `no matching function for call to .*Part<`, control: tile + `auto same = step;`},
		{name: "tile of one's own", kernel: "TILES", fault: `for (auto tile : tiles) BlockTile<M, N, 16, 8, 1, 1, true> more(tile.rows(), tile.cols());`, says: `no matching function for call to .*BlockTile<`, control: `for (auto tile : tiles) auto same = tile;`},
		{name: "tile that no block divides", kernel: "TILES", fault: `BlockTile<M, N, 12, 8, 1, 1, false>::height;`, says: `each thread has as many cells of a tile as every other`, control: `BlockTile<M, N, 16, 8, 1, 1, false>::height;`},
		{name: "steps beyond a block's width", kernel: "TILES", fault: `for (auto step : steps<2048>(k)) step.whole();`, says: `the contract bounds a part by a block's width`, control: `for (auto step : steps<1024>(k)) step.whole();`},
		{name: "register of another tile", kernel: "TILES", fault: `Tile<W, 2, 1> sums(0); for (auto j : each<2>()) for (auto i : each<1>()) sums(i, j) = 1;`, says: `no match for call to`, control: `Tile<W, 2, 1> sums(0); for (auto i : each<2>()) for (auto j : each<1>()) sums(i, j) = 1;`},

		// A pipeline is the whole block's, and alone has the barriers that its panels take.
		{name: "pipeline by a thread's cell", kernel: "PIPELINE", fault: once + `tile.cells([&](auto at, auto, auto) { pipeline(at, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto, auto) {}); });`, says: `wants what a whole block has`, control: once + walk},
		{name: "pipeline of steps of two lengths", kernel: "PIPELINE", fault: once + `pipeline(tile, k, as.rows(a, tile.rows()), deep.cols(b, tile.cols()), [](auto, auto) {});`, says: `both strips come in steps of one length`, control: once + walk},
		{name: "pipeline along another extent", kernel: "PIPELINE", fault: once + `pipeline(tile, l, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto, auto) {});`, says: `both strips walk along k`, control: once + walk},
		{name: "panels of another width", kernel: "PIPELINE", fault: once + `bs.rows(a, tile.rows());`, says: `Panels<T, H, W> take W rows of an In<T, R, C>`, control: once + `as.rows(a, tile.rows());`},
		{name: "strip of a turned matrix", kernel: "PIPELINE", fault: once + `as.rows(turned, tile.rows());`, says: `Panels<T, H, W> take W rows of an In<T, R, C>`, control: once + `as.cols(turned, tile.rows());`},
		{name: "columns by a tile's rows", kernel: "PIPELINE", fault: once + `as.cols(b, tile.rows());`, says: `Panels<T, H, W> take W columns of an In<T, R, C>`, control: once + `bs.cols(b, tile.cols());`},
		{name: "strip copied without barriers", kernel: "PIPELINE", fault: once + `for (auto step : steps<4>(k)) as.rows(a, tile.rows()).copy(tile.whole_block(), step, 0);`, says: `is private within this context`, control: once + walk},
		{name: "panel before it is filled", kernel: "PIPELINE", fault: once + `as.rows(a, tile.rows()).mine(tile, 0, 0);`, says: `is private within this context`, control: once + walk},
		{name: "panel by its place", kernel: "PIPELINE", fault: `as.at(0, 0, 0);`, says: `is private within this context`, control: once + walk},
		{name: "panels of one's own", kernel: "PIPELINE", fault: `Panels<W, 4, 32> more(nullptr);`, says: `is private within this context`, control: `Panels<W, 4, 32> same = as;`},
		{name: "address of a matrix", kernel: "PIPELINE", fault: once + `for (auto i : each(k)) tile.cells([&](auto at, auto, auto) { a.address(at.row(), i); });`, says: `no matching function for call to .*address`, control: once + `for (auto i : each(k)) tile.cells([&](auto at, auto, auto) { a(at.row(), i); });`},
		{name: "value of a strip by a number", kernel: "PIPELINE", fault: once + `pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto x, auto y) { x[0]; });`, says: `no match for .operator\[\].`, control: once + `pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto x, auto y) { for (auto i : each<4>()) x[i]; });`},
		{name: "fifth row of four in a strip", kernel: "PIPELINE", fault: once + `pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto x, auto y) { for (auto i : each<5>()) x[i]; });`, says: `no match for .operator\[\].`, control: once + `pipeline(tile, k, as.rows(a, tile.rows()), bs.cols(b, tile.cols()), [](auto x, auto y) { for (auto j : each<2>()) y[j]; });`},
		{name: "run of cells of one's own", kernel: "PIPELINE", fault: once + `tile.cells([&](auto at, auto, auto) { CellRun<M, N, 2>(at.row(), at.col()); });`, says: `no matching function for call to .*CellRun<`, control: once + `tile.runs(sums, [](auto at, auto) { at.row(); });`},
		{name: "run of the turned matrix", kernel: "PIPELINE", fault: once + `tile.runs(sums, [&](auto at, auto v) { across[at] = v; });`, says: `the cell must be this thread's own`, control: once + `tile.runs(sums, [&](auto at, auto v) { c[at] = v; });`},
		{name: "run that is read", kernel: "PIPELINE", fault: once + `tile.runs(sums, [&](auto at, auto v) { fresh[at] = map([](W u, W old) { return u + old; }, v, fresh[at]); });`, says: `no matching function for call to .*of`, control: once + `tile.runs(sums, [&](auto at, auto v) { c[at] = map([](W u, W old) { return u + old; }, v, c[at]); });`},
		{name: "runs of another tile's values", kernel: "PIPELINE", fault: once + `tile.runs(Tile<W, 2, 4>(0), [](auto, auto) {});`, says: `no matching function for call to .*runs`, control: once + `tile.runs(sums, [](auto, auto) {});`},
		{name: "run beyond a machine word", kernel: "PIPELINE", fault: `sizeof(RunCell<f64, 4, true>);`, says: `the elements of a run are 16 bytes at most`, control: `sizeof(RunCell<f64, 2, true>);`},
		{name: "squares of cells in narrow warps", kernel: "PIPELINE", fault: `Standing<Shape<4, 16, 1, 2>, true>::x();`, says: `stand in warps of 8 by 4`, control: `Standing<Shape<8, 8, 1, 2>, true>::x();`},

		// Parts have an owner for each element, and sums of columns a place for each thread.
		{name: "own element that may not exist", kernel: "PARTS", fault: part + `y[*part.own()] = 1;`, says: `no match for .operator\*.`, control: part + `for (auto i : part.own()) y[i] = 1;`},
		{name: "column that may not exist", kernel: "PARTS", fault: part + `for (auto r : each(m)) a(r, *part.column());`, says: `no match for .operator\*.`, control: part + `for (auto i : part.column()) for (auto r : each(m)) a(r, i);`},
		{name: "column written by all above it", kernel: "PARTS", fault: part + `for (auto i : part.column()) y[i] = 1;`, says: `no match for .operator\[\].`, control: part + `for (auto i : part.own()) y[i] = 1;`},
		{name: "element of a part to a thread", kernel: "PARTS", fault: part + `for (auto i : part.own()) z[i] = 1;`, says: `the element must be this thread's own`, control: part + `for (auto i : part.own()) y[i] = 1;`},
		{name: "element of a part of another length", kernel: "PARTS", fault: part + `for (auto i : part.own()) other[i] = 1;`, says: `no match for .operator\[\].`, control: part + `for (auto i : part.own()) y[i] = 1;`},
		{name: "row of a part's owner", kernel: "PARTS", fault: part + `for (auto i : part.own()) for (auto r : each(m)) c(r, i) = 1;`, says: `the row must be this thread's own`, control: part + `for (auto i : part.own()) for (auto r : each(m)) a(r, i);`},
		{name: "put of a thread's value in a part", kernel: "PARTS", fault: part + `y.put(part, W(1), [](W v) { return v; });`, says: `no matching function for call to .*put`, control: part + `y.put(part, sum(part, partial, W(1)), [](W v) { return v; });`},
		{name: "sum of columns in too little memory", kernel: "PARTS", fault: part + `sum(part, few, W(1));`, says: `an element of shared memory a thread`, control: part + `sum(part, partial, W(1));`},
		{name: "sum of columns in memory that is staged", kernel: "PARTS", fault: part + `sum(part, square, W(1));`, says: `no matching function for call to .*sum`, control: part + `sum(part, partial, W(1));`},
		{name: "sum of columns by a thread", kernel: "PARTS", fault: part + `for (auto i : part.own()) sum(i, partial, W(1));`, says: `no matching function for call to .*sum`, control: part + `sum(part, partial, W(1));`},
		{name: "threads of parts", kernel: "PARTS", fault: `for (auto i : threads(m)) i.value();`, says: `threads\(...\) wants blocks and threads in one row`, control: `for (auto r : along_y(m)) r.value();`},
		{name: "rows dealt to nobody", kernel: "PARTS", fault: `for (auto r : deal(m, 0)) r.value();`, says: `wants what a whole block has`, control: part + `for (auto r : deal(m, part)) r.value();`},
	}
}
