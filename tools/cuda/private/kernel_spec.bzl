"""kernel_spec: reads a family's .cu files and generates all that its signatures imply."""

load("@rules_cc//cc:defs.bzl", "CcInfo")
load(":headers.bzl", "include_folders", "merged_headers")
load(":proof.bzl", "PROOF_ATTRS", "write_proof")
load(":providers.bzl", "KernelSpecInfo")

visibility(["//tools/cuda/..."])

def _kernel_spec_impl(ctx):
    headers = merged_headers(ctx.attr.deps)
    raw = ctx.attr.raw
    if raw and not ctx.attr.testonly:
        fail("%s: raw kernels have no contract, so they are for tests alone: requires testonly = True" % ctx.label)
    if raw == bool(ctx.outputs.launchers) or raw == bool(ctx.attr.go_package) or raw and (ctx.attr.tiers or ctx.outputs.obligations):
        fail("%s: a family has launchers and their go_package unless it is raw; a raw one has neither tiers nor obligations" % ctx.label)
    if bool(ctx.outputs.obligations) != bool(ctx.outputs.proof):
        fail("%s: obligations and their proof go together" % ctx.label)
    outputs = [f for f in [ctx.outputs.entries, ctx.outputs.emulator_table, ctx.outputs.launchers, ctx.outputs.obligations, ctx.outputs.spec] if f]

    args = ctx.actions.args()
    args.add("--family", ctx.attr.family)
    if raw:
        args.add("--raw")
    else:
        args.add("--go-package", ctx.attr.go_package)
        args.add("--out-launchers", ctx.outputs.launchers)
        if ctx.outputs.obligations:
            args.add("--out-obligations", ctx.outputs.obligations)

    # As the emulator's table includes them: from the root of this repository, wherever it is checked out.
    args.add("--entries-as", "%s/%s" % (ctx.label.package, ctx.outputs.entries.basename))
    args.add_all(include_folders(headers), before_each = "--include")
    args.add_all(ctx.files.hdrs, before_each = "--header")
    args.add_all(ctx.files.tiers, before_each = "--tiers")
    args.add("--out-entries", ctx.outputs.entries)
    args.add("--out-emu", ctx.outputs.emulator_table)
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
    if ctx.outputs.proof:
        write_proof(ctx, headers)
    return [
        DefaultInfo(files = depset([ctx.outputs.spec])),
        KernelSpecInfo(
            compilation_context = headers,
            emulator_table = ctx.outputs.emulator_table,
            entries = ctx.outputs.entries,
            family = ctx.attr.family,
            launchers = ctx.outputs.launchers,
            proof = ctx.outputs.proof,
            raw = raw,
            spec = ctx.outputs.spec,
            srcs = depset(ctx.files.srcs + ctx.files.hdrs),
        ),
        OutputGroupInfo(generated = depset(outputs)),
    ]

kernel_spec = rule(
    implementation = _kernel_spec_impl,
    doc = "Reads the signature and annotation of every kernel in a family, refuses what it cannot read, and generates entries, launchers, the emulator's table and the spec. Proves, if asked to, that each contract is enough for its kernel.",
    attrs = PROOF_ATTRS | {
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
        ),
        "hdrs": attr.label_list(
            doc = "Headers of the family's own; what a source may not contain, they may not either.",
            allow_files = [".h", ".cuh"],
        ),
        "launchers": attr.output(
            doc = "The generated Go launchers.",
        ),
        "raw": attr.bool(
            doc = "The sources are of raw kernels: plain extern \"C\" __global__ functions. For tests alone.",
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
