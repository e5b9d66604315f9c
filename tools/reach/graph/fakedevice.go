package graph

import (
	"go/token"
	"go/types"
	"strings"
)

// FakeDevice stands in for package device where its sources are not given: just enough for calls of
// Device.Kernel to have a type. It returns nil for other import paths.
func FakeDevice(importPath string) *types.Package {
	if !strings.HasSuffix("/"+importPath, deviceSuffix) {
		return nil
	}
	pkg := types.NewPackage(importPath, "device")
	errorType := types.Universe.Lookup("error").Type()
	text := types.Typ[types.String]
	declare := func(name string) *types.Named {
		obj := types.NewTypeName(token.NoPos, pkg, name, nil)
		pkg.Scope().Insert(obj)
		return types.NewNamed(obj, types.NewStruct(nil, nil), nil)
	}
	variable := func(t types.Type) *types.Var { return types.NewParam(token.NoPos, pkg, "", t) }
	dev, kernel := declare("Device"), declare("Kernel")
	method := func(name string, result types.Type, params ...types.Type) {
		in := make([]*types.Var, len(params))
		for i, p := range params {
			in[i] = variable(p)
		}
		recv := variable(types.NewPointer(dev))
		sig := types.NewSignatureType(recv, nil, nil, types.NewTuple(in...), types.NewTuple(variable(result), variable(errorType)), false)
		dev.AddMethod(types.NewFunc(token.NoPos, pkg, name, sig))
	}
	method("Kernel", types.NewPointer(kernel), text)
	method("Entries", types.NewSlice(types.NewPointer(kernel)), text, types.NewSlice(text), types.NewMap(text, text))

	anything := types.NewSlice(types.NewInterfaceType(nil, nil))
	open := types.NewSignatureType(nil, nil, nil, types.NewTuple(variable(anything)),
		types.NewTuple(variable(types.NewPointer(dev)), variable(errorType)), true)
	pkg.Scope().Insert(types.NewFunc(token.NoPos, pkg, "Open", open))
	return pkg
}
