"""raw_kernels: plain __global__ functions, compiled as families are, for tests to compare with; and raw_fatbin, its images."""

load("//emu:defs.bzl", "emu_kernels")
load(":archs.bzl", "DEFAULT_ARCHS")
load(":cuda_fatbin.bzl", "IMAGE_ATTRS", "IMAGE_TOOLCHAINS", "compile_images")
load(":kernel_spec.bzl", "kernel_spec")
load(":providers.bzl", "CudaFatbinInfo", "KernelSpecInfo")

visibility(["//tools/cuda/..."])

def _raw_fatbin_impl(ctx):
    spec = ctx.attr.spec[KernelSpecInfo]
    if not spec.raw:
        fail("%s: spec: %s has contracts: its images are cuda_fatbin's" % (ctx.label, ctx.attr.spec.label))
    images = compile_images(ctx, spec)
    return images.providers + [OutputGroupInfo(**images.groups)]

raw_fatbin = rule(
    implementation = _raw_fatbin_impl,
    doc = "Compiles raw kernels for every architecture, joins the images and records their facts and what the audits find. No verdict: nobody promises that they are launched, or launched well.",
    attrs = IMAGE_ATTRS,
    fragments = ["cpp"],
    provides = [CudaFatbinInfo],
    toolchains = IMAGE_TOOLCHAINS,
)

def raw_kernels(
        name,
        srcs,
        testonly = False,
        family = None,
        hdrs = [],
        deps = [Label("//cuda/include:ww")],
        archs = DEFAULT_ARCHS,
        tags = [],
        visibility = None):
    """Kernels as CUDA has them: extern "C" __global__ functions of pointers and scalars, without contract or launcher.

    They are what safe kernels are compared with, and what faults are shown on. A device launches them only if it was opened
    with device.WithRawKernels.

    Targets: NAME (FAMILY.fatbin, FAMILY.manifest.json and FAMILY.audit.json), NAME_spec, NAME_emu (for the rule emulator of emu/defs.bzl). Files:
    FAMILY.entries.cu, FAMILY.emu.cc, FAMILY.spec.json.

    Args:
      name: the targets.
      srcs: the .cu files.
      testonly: must be True.
      family: begins the name of every kernel; NAME when not given.
      hdrs: headers of the sources' own.
      deps: C++ libraries whose headers the sources include.
      archs: the images: sm_75 is SASS, compute_75 is PTX.
      tags: tags of the images.
      visibility: who may use the targets.
    """
    family = family or name
    kernel_spec(
        name = name + "_spec",
        testonly = testonly,
        srcs = srcs,
        hdrs = hdrs,
        emulator_table = family + ".emu.cc",
        entries = family + ".entries.cu",
        family = family,
        raw = True,
        spec = family + ".spec.json",
        tags = tags,
        visibility = visibility,
        deps = deps,
    )
    raw_fatbin(
        name = name,
        testonly = testonly,
        out = family + ".fatbin",
        archs = archs,
        audit = family + ".audit.json",
        manifest = family + ".manifest.json",
        spec = name + "_spec",
        tags = tags,
        visibility = visibility,
    )
    emu_kernels(
        name = name + "_emu",
        testonly = testonly,
        kernels = srcs + hdrs + [family + ".entries.cu"],
        table = family + ".emu.cc",
        visibility = visibility,
        deps = deps,
    )
