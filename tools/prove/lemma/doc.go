// Package lemma proves the device vocabulary: what the member functions of cuda/include/ww do with an index, a
// pointer or an extent, once for all kernels.
//
// The code is read from the headers by package cxx and executed with symbols in place of values. Each function that a
// kernel can call is one lemma: if its view has what its WW_VIEW row promises, and its arguments are what their types
// promise, then every access lies inside, no arithmetic wraps or narrows, and whatever it hands out keeps the promise of
// its type in turn. The promises of types stand in one table (laws.go); they are no axioms: wherever such an object is
// made and handed out, its law is proved.
//
// Who owns what is proved of two threads at once: the code is executed twice, and what both hold is the same only if
// they are the same thread, group or block. Plain writes are then of different elements.
package lemma
