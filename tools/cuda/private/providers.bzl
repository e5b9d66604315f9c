"""What the CUDA rules hand to each other."""

CudaToolkitInfo = provider(
    doc = "The programs that make and read images, whichever toolkit they come from.",
    fields = {
        "fatbinary": "File: joins images into a fatbin.",
        "nvcc": "File: the compiler driver, run for PTX only.",
        "nvcc_files": "depset[File]: what nvcc reads: its helpers, the device libraries, its own headers.",
        "nvdisasm": "File: prints a cubin's machine code.",
        "origin": "string: where the toolkit comes from, for messages: 'wheels' or the local toolkit's folder.",
        "ptxas": "File: assembles PTX into a cubin.",
        "version": "string: the toolkit's version, as 13.0.",
    },
)

KernelSpecInfo = provider(
    doc = "A kernel family as its sources declare it, and what kernelspec generated from them.",
    fields = {
        "compilation_context": "CompilationContext: the headers that the family's sources include, and where they are looked for.",
        "emulator_table": "File: C++ that registers every entry with the emulator.",
        "entries": "File: CUDA C++ with one extern \"C\" entry an instance; includes the sources.",
        "family": "string: the family's name, which begins every entry's.",
        "launchers": "File: the typed Go launchers; None for raw kernels.",
        "proof": "File: what is proved of the entries, JSON (go/proof.Table); None where nobody proves them, as of raw kernels.",
        "raw": "bool: the kernels are raw: plain __global__ functions without contracts. Tests alone have such.",
        "spec": "File: the spec, JSON (go/manifest.Spec).",
        "srcs": "depset[File]: the .cu sources.",
    },
)

CudaFatbinInfo = provider(
    doc = "A family's compiled images with what is known of them. Whoever has this has a checked family: the verdicts are validations of the rule that gives it.",
    fields = {
        "archs": "list[string]: the images, in the fatbin's order: sm_75 is SASS, compute_75 is PTX.",
        "audit": "File: what the audits found, JSON (go/audit.Table).",
        "cubins": "list[File]: one a sm_XX, in the order of archs.",
        "family": "string: the family's name.",
        "fatbin": "File: the images, joined.",
        "manifest": "File: the spec joined with the facts of the images, JSON (go/manifest.Manifest).",
        "proof": "File: what is proved of the entries, JSON (go/proof.Table); None for raw kernels.",
        "ptx": "list[File]: every PTX compiled, those that are only assembled included.",
        "raw": "bool: the kernels are raw, so no verdict was passed on them. Tests alone have such.",
        "sass": "list[File]: nvdisasm's listing of each cubin.",
        "spec": "File: the spec, JSON (go/manifest.Spec).",
    },
)

LaunchRefsInfo = provider(
    doc = "The Go sources that a launchers target is made of, itself and what it depends on.",
    fields = {
        "importpath": "string: the import path of the target itself; empty where it has none.",
        "packages": "depset[struct(importpath, srcs)]: a Go package and its source files (list[File]).",
    },
)
