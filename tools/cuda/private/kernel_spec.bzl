"""kernel_spec: reads a family's .cu files and generates all that its signatures imply."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load(":headers.bzl", "include_folders", "merged_headers")
load(":providers.bzl", "KernelSpecInfo")

visibility(["//tools/cuda/..."])

def _kernel_spec_impl(ctx):
    headers = merged_headers(ctx.attr.deps)
    outputs = [ctx.outputs.entries, ctx.outputs.emulator_table, ctx.outputs.launchers, ctx.outputs.spec]

    args = ctx.actions.args()
    args.add("--family", ctx.attr.family)
    args.add("--go-package", ctx.attr.go_package)

    # As the emulator's table includes them: from the root of this repository, wherever it is checked out.
    args.add("--entries-as", "%s/%s" % (ctx.label.package, ctx.outputs.entries.basename))
    args.add_all(include_folders(headers), before_each = "--include")
    args.add_all(ctx.files.tiers, before_each = "--tiers")
    args.add("--out-entries", ctx.outputs.entries)
    args.add("--out-emu", ctx.outputs.emulator_table)
    args.add("--out-launchers", ctx.outputs.launchers)
    args.add("--out-spec", ctx.outputs.spec)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = ctx.executable._kernelspec,
        arguments = [args],
        inputs = depset(ctx.files.srcs + ctx.files.hdrs + ctx.files.tiers, transitive = [headers.headers]),
        outputs = outputs,
        mnemonic = "KernelSpec",
        progress_message = "Reading the kernels of %{label}",
    )
    return [
        DefaultInfo(files = depset([ctx.outputs.spec])),
        KernelSpecInfo(
            compilation_context = headers,
            emulator_table = ctx.outputs.emulator_table,
            entries = ctx.outputs.entries,
            family = ctx.attr.family,
            launchers = ctx.outputs.launchers,
            spec = ctx.outputs.spec,
            srcs = depset(ctx.files.srcs + ctx.files.hdrs),
        ),
        OutputGroupInfo(generated = depset(outputs)),
    ]

kernel_spec = rule(
    implementation = _kernel_spec_impl,
    doc = "Reads the signature and annotation of every kernel in a family, refuses what it cannot read, and generates entries, launchers, the emulator's table and the spec.",
    attrs = {
        "deps": attr.label_list(
            doc = "C++ libraries whose headers the sources include, the device vocabulary among them.",
            providers = [CcInfo],
        ),
        "emulator_table": attr.output(
            doc = "The generated C++ that registers the family with the emulator.",
            mandatory = True,
        ),
        "entries": attr.output(
            doc = "The generated CUDA C++ with one entry an instance.",
            mandatory = True,
        ),
        "family": attr.string(
            doc = "The family's name, which begins the name of every kernel in it.",
            mandatory = True,
        ),
        "go_package": attr.string(
            doc = "The package clause of the generated launchers.",
            mandatory = True,
        ),
        "hdrs": attr.label_list(
            doc = "Headers of the family's own.",
            allow_files = [".h", ".cuh"],
        ),
        "launchers": attr.output(
            doc = "The generated Go launchers.",
            mandatory = True,
        ),
        "spec": attr.output(
            doc = "The generated spec.",
            mandatory = True,
        ),
        "srcs": attr.label_list(
            doc = "The family's kernels.",
            allow_empty = False,
            allow_files = [".cu"],
            mandatory = True,
        ),
        "tiers": attr.label_list(
            doc = "Tier tables: which kernel serves which shape on which architecture.",
            allow_files = True,
        ),
        "_kernelspec": attr.label(
            default = Label("//tools/kernelspec"),
            cfg = "exec",
            executable = True,
        ),
    },
    provides = [KernelSpecInfo],
)
