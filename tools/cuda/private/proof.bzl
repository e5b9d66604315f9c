"""The proof of a family: that its contracts are enough for its kernels, before anything is compiled."""

visibility(["//tools/cuda/private"])

def write_proof(ctx):
    """The action that makes the table. It judges nothing: a table with what is not proved is one all the same.

    Args:
      ctx: kernel_spec's, with PROOF_ATTRS.
    """
    args = ctx.actions.args()
    args.add("table")
    args.add("--obligations", ctx.outputs.obligations)
    args.add("--lemmas", ctx.file._lemmas)
    args.add("--z3", ctx.executable._z3)
    args.add("--out", ctx.outputs.proof)
    ctx.actions.run(
        executable = ctx.executable._prove,
        arguments = [args],
        inputs = [ctx.outputs.obligations, ctx.file._lemmas],
        tools = [ctx.executable._z3],
        outputs = [ctx.outputs.proof],
        mnemonic = "KernelProof",
        progress_message = "Proving the contracts of %{label}",
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
