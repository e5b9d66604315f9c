"""kernel_family: everything of one family of kernels, from its .cu files."""

load("//emu:defs.bzl", "emu_kernels")
load(":archs.bzl", "DEFAULT_ARCHS")
load(":cuda_fatbin.bzl", "cuda_fatbin")
load(":kernel_spec.bzl", "kernel_spec")

visibility(["//tools/cuda/..."])

def kernel_family(
        name,
        srcs,
        launchers,
        hdrs = [],
        deps = [Label("//cuda/include:ww")],
        tiers = [],
        unlaunched = {},
        archs = DEFAULT_ARCHS,
        go_package = None,
        tags = [],
        testonly = False,
        visibility = None):
    """Everything of one family of kernels.

    Targets: NAME (the cuda_fatbin: NAME.fatbin, NAME.manifest.json and NAME.audit.json), NAME_spec (the kernel_spec), NAME_emu (for the rule
    emulator of emu/defs.bzl). Files: NAME.entries.cu, NAME.emu.cc, NAME.spec.json, NAME.obligations.json, NAME.proof.json, launchers.go.

    One family a package, since its launchers are a Go package's only file.

    Args:
      name: the family, which begins the name of every kernel in it.
      srcs: the .cu files.
      launchers: Go packages whose exported declarations lead to every kernel.
      hdrs: the family's own headers.
      deps: C++ libraries whose headers the sources include.
      tiers: tier tables.
      unlaunched: kernels that nothing launches, each with the reason.
      archs: the images: sm_75 is SASS, compute_75 is PTX.
      go_package: the launchers' package clause; NAMEkernels when not given.
      tags: tags of the images.
      testonly: whether only tests may use the targets.
      visibility: who may use the targets.
    """
    kernel_spec(
        name = name + "_spec",
        testonly = testonly,
        srcs = srcs,
        hdrs = hdrs,
        emulator_table = name + ".emu.cc",
        entries = name + ".entries.cu",
        family = name,
        go_package = go_package or name + "kernels",
        launchers = "launchers.go",
        obligations = name + ".obligations.json",
        proof = name + ".proof.json",
        spec = name + ".spec.json",
        tiers = tiers,
        visibility = visibility,
        deps = deps,
    )
    cuda_fatbin(
        name = name,
        testonly = testonly,
        out = name + ".fatbin",
        archs = archs,
        audit = name + ".audit.json",
        launchers = launchers,
        manifest = name + ".manifest.json",
        spec = name + "_spec",
        tags = tags,
        unlaunched = unlaunched,
        visibility = visibility,
    )
    emu_kernels(
        name = name + "_emu",
        testonly = testonly,
        kernels = srcs + hdrs + [name + ".entries.cu"],
        table = name + ".emu.cc",
        visibility = visibility,
        deps = deps,
    )
