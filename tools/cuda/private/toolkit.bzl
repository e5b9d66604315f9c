"""cuda_toolkit: one toolkit as a toolchain."""

load(":providers.bzl", "CudaToolkitInfo")

# Public: the toolkits' own repositories load it.
visibility("public")

def _cuda_toolkit_impl(ctx):
    if ctx.attr.problem:
        fail("%s: %s" % (ctx.label, ctx.attr.problem))
    info = CudaToolkitInfo(
        fatbinary = ctx.file.fatbinary,
        nvcc = ctx.file.nvcc,
        nvcc_files = depset(ctx.files.nvcc_files),
        nvdisasm = ctx.file.nvdisasm,
        origin = ctx.attr.origin,
        ptxas = ctx.file.ptxas,
        version = ctx.attr.version,
    )
    return [platform_common.ToolchainInfo(cuda = info)]

cuda_toolkit = rule(
    implementation = _cuda_toolkit_impl,
    doc = "One CUDA toolkit. Its toolchain target provides `cuda`, a CudaToolkitInfo.",
    attrs = {
        "fatbinary": attr.label(
            doc = "The program fatbinary.",
            allow_single_file = True,
            cfg = "exec",
        ),
        "nvcc": attr.label(
            doc = "The program nvcc.",
            allow_single_file = True,
            cfg = "exec",
        ),
        "nvcc_files": attr.label_list(
            doc = "All that nvcc reads and runs when it compiles to PTX.",
            allow_files = True,
            cfg = "exec",
        ),
        "nvdisasm": attr.label(
            doc = "The program nvdisasm.",
            allow_single_file = True,
            cfg = "exec",
        ),
        "origin": attr.string(
            doc = "Where the toolkit comes from, for messages.",
        ),
        "problem": attr.string(
            doc = "Why this toolkit cannot be used. Whoever chooses it gets this as the error; everyone else is unharmed.",
        ),
        "ptxas": attr.label(
            doc = "The program ptxas.",
            allow_single_file = True,
            cfg = "exec",
        ),
        "version": attr.string(
            doc = "The toolkit's version, as 13.0.",
        ),
    },
)
