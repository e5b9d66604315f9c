"""The audits of a family: what its machine code and PTX say that its source cannot."""

load(":archs.bzl", "DEFAULT_ARCHS")

visibility(["//tools/cuda/private"])

def disassemble(ctx, toolkit, family, assembled):
    """One nvdisasm action: a cubin to text.

    Args:
      ctx: the rule's.
      toolkit: the CudaToolkitInfo.
      family: the family's name.
      assembled: struct(arch, cubin), of one architecture.

    Returns:
      The listing.
    """
    listing = ctx.actions.declare_file("%s.sm_%s.sass" % (family, assembled.arch))
    args = ctx.actions.args()
    args.add(toolkit.nvdisasm)
    args.add(listing)
    args.add("-c")
    args.add(assembled.cubin)
    ctx.actions.run_shell(
        command = 'nvdisasm=$1 listing=$2; shift 2; "$nvdisasm" "$@" >"$listing"',
        arguments = [args],
        inputs = [assembled.cubin],
        tools = [toolkit.nvdisasm],
        outputs = [listing],
        mnemonic = "CudaDisassemble",
        progress_message = "Disassembling %{input}",
    )
    return listing

def write_audit(ctx, family, assembled, ptx, sass, lines):
    """The action that makes the table. It judges nothing: a table with findings is one all the same.

    Args:
      ctx: the rule's, with AUDIT_ATTRS.
      family: the family's name.
      assembled: list of struct(arch), the architectures of machine code.
      ptx: dict from an architecture to its PTX.
      sass: dict from an architecture to its listing.
      lines: PTX with the lines of the source, of the last architecture.
    """
    args = ctx.actions.args()
    args.add("table")
    args.add("--manifest", ctx.outputs.manifest)
    for a in assembled:
        args.add(ptx[a.arch], format = "--ptx=%s=%%s" % a.arch)
        args.add(sass[a.arch], format = "--sass=%s=%%s" % a.arch)
    args.add("--lines", lines)
    built = ["sm_" + a.arch for a in assembled]
    if [arch for arch in DEFAULT_ARCHS if arch.startswith("sm_") and arch not in built]:
        # An exception may be for what is not built here.
        args.add("--narrow")
    args.add("--out", ctx.outputs.audit)
    ctx.actions.run(
        executable = ctx.executable._audit,
        arguments = [args],
        inputs = [ctx.outputs.manifest, lines] + [ptx[a.arch] for a in assembled] + [sass[a.arch] for a in assembled],
        outputs = [ctx.outputs.audit],
        mnemonic = "KernelAudit",
        progress_message = "Auditing the machine code of " + family,
    )

def judge_audit(ctx, family):
    """The verdict on the table: what it has without a reason fails whatever uses the images.

    Args:
      ctx: the rule's, with AUDIT_ATTRS.
      family: the family's name.

    Returns:
      The stamp.
    """
    stamp = ctx.actions.declare_file(family + ".audit.ok")
    args = ctx.actions.args()
    args.add("verdict")
    args.add("--table", ctx.outputs.audit)
    args.add("--out", stamp)
    ctx.actions.run(
        executable = ctx.executable._audit,
        arguments = [args],
        inputs = [ctx.outputs.audit],
        outputs = [stamp],
        mnemonic = "AuditVerdict",
        progress_message = "Judging what the audits found in %{label}",
    )
    return stamp

# What write_audit and judge_audit look at.
AUDIT_ATTRS = {
    "audit": attr.output(
        doc = "The table of the audits to write.",
        mandatory = True,
    ),
    "_audit": attr.label(
        cfg = "exec",
        default = Label("//tools/audit"),
        executable = True,
    ),
}
