package lemma

import (
	"github.com/warpwright/warpwright/tools/prove/promise"
	"github.com/warpwright/warpwright/tools/prove/smt"
)

// law is what the objects of a class promise. It is written in the language of the headers; D is the size of the
// extent D. Whatever a kernel gets keeps the law of its type, and that is proved where it is made.
type law struct {
	class string
	holds []string
	room  string   // how many elements lie at the class's pointer
	index []string // extents whose indices are i32, since only views make these objects whose rows say so
	align string   // the pointer is at a multiple of so many elements
	owner *owner   // who alone holds what
}

// owner says: who holds an object of this class holds places that no other holds. Two objects that have a place in
// common, in each coordinate, are of one owner.
type owner struct {
	kind  string // what is owned, where objects of several classes own the same things
	when  string
	from  []string // the first place, a coordinate each
	count string   // how many places from there on along the last coordinate; 1 if empty
	who   []string // the same for all that share it
}

// The owners.
func thread() []string {
	return []string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z"}
}

func block() []string { return []string{"blockIdx.x", "blockIdx.y", "blockIdx.z"} }

func group() []string { return append(block(), "threadIdx.x / 32", "threadIdx.x % 32 / S") }

// laws are the promises of the vocabulary's types. A view with a WW_VIEW row has its row besides.
func laws() []law {
	one := []string{"i_.v_"}
	return []law{
		{class: "Dim<D>", holds: []string{"n_ == D"}},
		{class: "Ix<D>", holds: []string{"0 <= v_", "v_ < D"}},
		{class: "ThreadIx<D>", holds: []string{"D::shape::line"}, owner: &owner{from: one, who: thread()}},
		{class: "BlockIx<D>", holds: []string{"D::shape::line", "D::shape::threads % 32 == 0"}, owner: &owner{from: one, who: block()}},
		{class: "GroupIx<D, S>", holds: []string{"D::shape::line", "0 <= v_", "!active_ || v_ < D", "active_ || S < 32"},
			owner: &owner{when: "active_", from: []string{"v_"}, who: group()}},
		{class: "CellIx<R, C>", index: []string{"R", "C"}, holds: []string{"C::shape::axes == 2"}, owner: &owner{kind: "cells", from: []string{"row_.v_", "col_.v_"}, who: thread()}},
		{class: "CellRun<R, C, V>", index: []string{"R", "C"}, holds: []string{"V >= 1", "(V & (V - 1)) == 0", "first_.v_ % V == 0", "V == 1 || C % V == 0 && alignment<C> % 16 == 0"},
			owner: &owner{kind: "cells", from: []string{"row_.v_", "first_.v_"}, count: "V", who: thread()}},
		{class: "PartIx<D, N>", owner: &owner{from: one, who: thread()}},
		{class: "PlacedIx<K, N>", owner: &owner{from: one, who: thread()}},
		{class: "RunIx<D, V, Count>", holds: []string{"first_ % Count == 0", "first_ + Count <= D"},
			owner: &owner{from: []string{"first_"}, count: "Count", who: thread()}},
		{class: "Part<D, N, Whole>", holds: []string{"0 <= from_", "from_ < D", "from_ % N == 0", "end_ == D", "!Whole || from_ + N <= D"}},
		{class: "BlockPart<D, N, Whole>", holds: []string{"0 <= from_", "from_ < D", "from_ % N == 0", "end_ == D", "!Whole || from_ + N <= D"},
			owner: &owner{from: []string{"from_"}, who: block()}},
		{class: "BlockTile<R, C, H, W, G, V, Whole>", index: []string{"R", "C"}, holds: []string{"row_ == rows_.from_ + Stand::y() * V", "col_ == cols_.from_ + Stand::x() * G"},
			owner: &owner{from: []string{"rows_.from_", "cols_.from_"}, who: block()}},
		{class: "Span<D, Step, ByFour>", holds: []string{"0 <= from_", "end_ <= D"}},
		{class: "Steps<D, N>", holds: []string{"n_ == D"}},
		{class: "Cell<T>", room: "1", owner: &owner{from: []string{"p_"}, who: thread()}},
		{class: "Kept<T>", room: "1", owner: &owner{from: []string{"p_"}, who: thread()}},
		{class: "RunCell<T, Count, Reads>", holds: []string{"Count >= 1", "(Count & (Count - 1)) == 0"}, room: "Count", align: "Count", owner: &owner{from: []string{"p_"}, count: "Count", who: thread()}},
		{class: "Column<T, D, C>", room: "D == 0 ? 0 : (D - 1) * C + 1"},
	}
}

// wants is what a private function takes for true of its arguments, besides the laws of their types: who calls it owes that.
func wants() map[string][]string {
	return map[string][]string{
		"Strip::copy":    {"0 <= side", "side <= 1"},
		"Strip::mine":    {"0 <= side", "side <= 1", "0 <= p", "p < step"},
		"Packs::element": {"0 <= i", "i < Count"},
	}
}

// fillings are the members of what fills shared memory that a function calls on what it is given.
func fillings() map[string]filling {
	return map[string]filling{
		"Fill::run":   {write: true},
		"Strip::copy": {write: true, beside: true, side: "side"},
		"Strip::mine": {side: "side"},
	}
}

// differs are the parameters of templates that need not be the same in two threads which share a view: one has a whole part and another
// a clipped one, one a run and another an element beyond the runs.
func differs() map[string]bool {
	return map[string]bool{"Whole": true, "All": true, "A": true, "B": true, "Count": true}
}

// results are the functions that return the size of an extent, which others take for that: their own lemma shows it.
func results() map[string]string { return map[string]string{"whole": "D", "apart": "D"} }

// exclusive are classes that make things of one kind and that no kernel has two of: one parameter lays the grid.
func exclusive() map[string][]string {
	return map[string][]string{"cells": {"Cells<R, C>", "BlockTile<R, C, H, W, G, V, Whole>"}}
}

// concepts are what is asked of types by the headers' concepts, in their words: the reader knows what these mean.
func concepts() map[string]string {
	return map[string]string{
		"Below":     "std :: is_convertible_v < I , Ix < D > >",
		"BlockWide": "requires ( At at ) { shown ( at . whole_block ( ) ) ; }",
		"Held":      "std :: is_same_v < T , Unchecked >",
	}
}

// facts are what the variable templates of an extent say: of the number, and of the extent's size.
func facts() map[string]func(v, size smt.Int) smt.Bool {
	none := func(v smt.Int) smt.Bool { return v.Equal(smt.Number(0)) }
	return map[string]func(v, size smt.Int) smt.Bool{
		"multiple": func(v, size smt.Int) smt.Bool {
			return smt.And(v.Greater(smt.Number(0)), size.Modulo(v).Equal(smt.Number(0)))
		},
		"alignment": func(v, _ smt.Int) smt.Bool { return v.Equal(smt.Number(1)) }, // what more is known of it, the entry says
		"once": func(v, size smt.Int) smt.Bool {
			return smt.Or(none(v), promise.Grid("x").Times(v).AtLeastTerm(size))
		},
		"exact": func(v, size smt.Int) smt.Bool {
			return smt.Or(none(v), promise.Grid("x").Times(v).Equal(size))
		},
	}
}
