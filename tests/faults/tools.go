package faults

// The tools, in the order in which a fault meets them.
const (
	Kernelspec = "kernelspec"
	Prove      = "prove"
	Compile    = "compile"
	GoTypes    = "go"
	Reach      = "reach"
	Manifest   = "manifest"
	Audit      = "audit"
	Valid      = "valid"
	Load       = "load"
	Contract   = "contract"
	Emulator   = "emulator"
	Values     = "values"
	Race       = "race"
)

// Tool is one way in which a fault is found.
type Tool struct{ Name, When, Is string }

// Tools are all of them, in order, as the table of docs explains them.
func Tools() []Tool {
	return []Tool{
		{Kernelspec, "build", "reads signatures and annotations, and refuses what it cannot vouch for, with a caret"},
		{Prove, "build", "proves that what a launcher checks is enough for the kernel, or finds sizes for which it is not, and a thread"},
		{Compile, "build", "the C++ compiler, on the generated entries: the types of the views refuse, and so does its analysis of what was never set"},
		{GoTypes, "build", "Go's type checker, on the generated launchers and what calls them"},
		{Reach, "build", "the verdict that every kernel is launched from an exported function"},
		{Manifest, "build", "the join of a family's spec with the images that nvcc and ptxas made"},
		{Audit, "build", "the rules for what ships: PTX, ptxas's report and SASS"},
		{Valid, "upload", "the only makers of index arrays: they read every element once, and know of later writes"},
		{Load, "load", "the device, when it joins launchers with images"},
		{Contract, "launch", "the contract, evaluated on the host before anything is enqueued"},
		{Emulator, "test", "the kernels on a CPU, under AddressSanitizer, UndefinedBehaviorSanitizer and the emulator's own rules"},
		{Values, "test", "the results, from memory that starts as NaN, under three orders of threads"},
		{Race, "test", "the kernels on a CPU under ThreadSanitizer, blocks unordered"},
	}
}

// ToolNames are the names of Tools.
func ToolNames() []string {
	var names []string
	for _, t := range Tools() {
		names = append(names, t.Name)
	}
	return names
}

// stations are what a variant passes through: most are one tool, a run of the kernels is several.
func stations() []func(*variant) ([]Finding, error) {
	return []func(*variant) ([]Finding, error){
		(*variant).kernelspec,
		(*variant).prove,
		(*variant).compile,
		(*variant).goTypes,
		(*variant).reach,
		(*variant).images,
		(*variant).run,
		(*variant).race,
	}
}
