"""The proof of a family: that its contracts are enough for its kernels, before anything is compiled."""

load("@rules_cc//cc:defs.bzl", "cc_common")
load(":headers.bzl", "include_folders")

visibility(["//tools/cuda/private"])

def write_proof(ctx, headers):
    """The actions that make the table. They judge nothing: a table with what is not proved is one all the same.

    The second one compiles an emulator if there is something that the solver did not decide, and copies the table if there is nothing.

    Args:
      ctx: kernel_spec's, with PROOF_ATTRS.
      headers: the CompilationContext of the kernels.
    """
    solved = ctx.actions.declare_file(ctx.attr.family + ".solved.json")
    args = ctx.actions.args()
    args.add("table")
    args.add("--obligations", ctx.outputs.obligations)
    args.add("--lemmas", ctx.file._lemmas)
    args.add("--z3", ctx.executable._z3)
    args.add("--out", solved)
    ctx.actions.run(
        executable = ctx.executable._prove,
        arguments = [args],
        inputs = [ctx.outputs.obligations, ctx.file._lemmas],
        tools = [ctx.executable._z3],
        outputs = [solved],
        mnemonic = "KernelProof",
        progress_message = "Proving the contracts of %{label}",
    )

    cxx = ctx.attr._cxx[cc_common.CcToolchainInfo]
    args = ctx.actions.args()
    args.add("decide")
    args.add("--table", solved)
    args.add("--obligations", ctx.outputs.obligations)
    args.add("--z3", ctx.executable._z3)
    args.add("--kernelspec", ctx.executable._kernelspec)
    args.add("--cxx", cxx.compiler_executable)
    args.add("--root", ctx.attr._emulator.label.workspace_root or ".")
    args.add_all(include_folders(headers), before_each = "--include")
    args.add("--include", ctx.bin_dir.path)
    args.add_all(ctx.files.hdrs, before_each = "--header")
    args.add("--out", ctx.outputs.proof)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = ctx.executable._prove,
        arguments = [args],
        inputs = depset(
            ctx.files.srcs + ctx.files.hdrs + ctx.files._emulator + [solved, ctx.outputs.obligations],
            transitive = [headers.headers, cxx.all_files],
        ),
        tools = [ctx.executable._z3, ctx.executable._kernelspec],
        outputs = [ctx.outputs.proof],
        # Compilers are drivers, and look for the assembler there.
        env = {"PATH": "/usr/bin:/bin"},
        mnemonic = "KernelDecision",
        progress_message = "Deciding what is not proved of %{label}",
    )

def judge_proof(ctx, spec):
    """The verdict on the table: what it has that is not proved fails whatever uses the images.

    Args:
      ctx: cuda_fatbin's, with VERDICT_ATTRS.
      spec: the family's KernelSpecInfo.

    Returns:
      The stamp.
    """
    stamp = ctx.actions.declare_file(spec.family + ".proof.ok")
    args = ctx.actions.args()
    args.add("verdict")
    args.add("--table", spec.proof)
    args.add("--out", stamp)
    ctx.actions.run(
        executable = ctx.executable._prove,
        arguments = [args],
        inputs = [spec.proof],
        outputs = [stamp],
        mnemonic = "ProofVerdict",
        progress_message = "Judging what is proved of %{label}",
    )
    return stamp

# What judge_proof looks at.
VERDICT_ATTRS = {
    "_prove": attr.label(
        cfg = "exec",
        default = Label("//tools/prove"),
        executable = True,
    ),
}

# What write_proof looks at.
PROOF_ATTRS = VERDICT_ATTRS | {
    "obligations": attr.output(
        doc = "The generated obligations: what must be proved of each entry.",
    ),
    "proof": attr.output(
        doc = "The table of their proofs. cuda_fatbin wants it; whoever only runs kernels on the CPU does not.",
    ),
    "_cxx": attr.label(
        cfg = "exec",
        default = Label("@rules_cc//cc:current_cc_toolchain"),
    ),
    "_emulator": attr.label(
        default = Label("//emu:sources"),
    ),
    "_lemmas": attr.label(
        allow_single_file = True,
        default = Label("//cuda/include:ww.lemmas.json"),
    ),
    "_z3": attr.label(
        cfg = "exec",
        default = Label("@warpwright_z3//:z3"),
        executable = True,
    ),
}
