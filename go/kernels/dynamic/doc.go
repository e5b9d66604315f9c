// Package dynamic launches kernels that no code was generated for: it reads a family's contract from
// its spec and interprets it at every launch. Kernel and arguments are named by strings.
//
//	f, err := dynamic.Load(dev, spec)
//	err = f.Launch(nil, &dynamic.Call{
//		Kernel: "csr_mv_thread",
//		Types:  map[string]string{"W": "f32", "P": "i32", "V": "One"},
//		Args:   map[string]any{"rows": rows, "cols": cols, "weights": w, "x": x, "y": y},
//	})
//
// What a generated launcher refuses is refused here, by the same rules in the same order and in the
// same words. Beside those there are the mistakes that the Go compiler finds in a generated launcher: a
// name that is not there, an argument of another type. They come first.
//
// A raw kernel (a spec with "raw": true) has no contract: the call gives its shape, and nothing is checked
// but the arguments' types.
//
// It is for tools and tests. The build cannot tell what such a program launches, so it counts for no
// kernel's reach; operators use generated launchers, which are faster by far.
//
// It imports device, valid and manifest, and package launch for what it shares with generated code.
package dynamic
