"""The comparison of the twins' machine code, as a test and as a table."""

load("//tools/cuda:defs.bzl", "CudaFatbinInfo")

def _impl(ctx):
    spec = ctx.attr.safe[CudaFatbinInfo].spec
    args = ["--reasons=" + ctx.file.reasons.short_path, "--spec=" + spec.short_path]
    args += ["--alone=" + name for name in ctx.attr.alone]
    listings = []
    for side, target in [("safe", ctx.attr.safe), ("raw", ctx.attr.raw), ("checked", ctx.attr.checked)]:
        info = target[CudaFatbinInfo]
        archs = [arch for arch in info.archs if arch.startswith("sm_")]
        if len(archs) != len(info.sass):
            fail("%s: %s has %d listings for %d architectures" % (ctx.label, target.label, len(info.sass), len(archs)))
        args += ["--%s=%s=%s" % (side, arch, listing.short_path) for arch, listing in zip(archs, info.sass)]
        listings += info.sass

    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        '#!/bin/sh\nexec "%s" \\\n  %s\n' % (ctx.executable._table.short_path, " \\\n  ".join(["'%s'" % arg for arg in args])),
        is_executable = True,
    )
    runfiles = ctx.runfiles(listings + [ctx.file.reasons, spec]).merge(ctx.attr._table[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

_ATTRS = {
    "alone": attr.string_list(
        doc = "Safe kernels that have no twin, without twin_.",
    ),
    "checked": attr.label(
        doc = "The images of the twins with a test at every access.",
        mandatory = True,
        providers = [CudaFatbinInfo],
    ),
    "raw": attr.label(
        doc = "The images of the twins written by hand.",
        mandatory = True,
        providers = [CudaFatbinInfo],
    ),
    "reasons": attr.label(
        allow_single_file = True,
        doc = "Why a safe kernel is larger than its bound, a line for each pair and architecture.",
        mandatory = True,
    ),
    "safe": attr.label(
        doc = "The images of the safe kernels.",
        mandatory = True,
        providers = [CudaFatbinInfo],
    ),
    "_table": attr.label(
        cfg = "target",
        default = Label("//tests/twins/table"),
        executable = True,
    ),
}

_machine_code_test = rule(
    implementation = _impl,
    doc = "Fails unless every safe kernel costs what its raw twin costs, each variant of it less, and every checked one has its checks.",
    attrs = _ATTRS,
    test = True,
)

_machine_code_table = rule(
    implementation = _impl,
    doc = "Prints the comparison by `bazel run`.",
    attrs = _ATTRS,
    executable = True,
)

def machine_code(name, **kwargs):
    """The comparison of machine code: NAME_test, and NAME that prints the table.

    Args:
      name: the targets.
      **kwargs: safe, raw and checked, the images; reasons, their file; alone, the safe kernels without twin.
    """
    _machine_code_table(
        name = name,
        testonly = True,
        **kwargs
    )
    _machine_code_test(
        name = name + "_test",
        size = "small",
        **kwargs
    )
