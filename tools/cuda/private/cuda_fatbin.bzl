"""cuda_fatbin: a family's images, their manifest, and the verdict that everything in them is launched.

The graph, with one action a box:

    entries.cu -> nvcc -ptx (an arch) -> ptxas -v (an arch) -> fatbinary -> manifest -> verdict
    launchers' Go sources ------------------------------------> refs ----------------^
    cubin -> nvdisasm (an arch) -> audit: the table -> verdict
    PTX, manifest -----------------^
    the table of the proofs, which kernel_spec makes -> verdict

PTX first and ptxas after it, because spill counts stand in ptxas's report and nowhere in a cubin, and because every SASS
shipped then has the PTX it came from. An arch more recompiles nothing, and the one that fails says so itself.
"""

load("@rules_cc//cc:find_cc_toolchain.bzl", "find_cc_toolchain", "use_cc_toolchain")
load(":archs.bzl", "DEFAULT_ARCHS", "parse_archs")
load(":audit.bzl", "AUDIT_ATTRS", "disassemble", "judge_audit", "write_audit")
load(":headers.bzl", "include_folders")
load(":launch_refs.bzl", "launch_refs_aspect")
load(":proof.bzl", "VERDICT_ATTRS", "judge_proof")
load(":providers.bzl", "CudaFatbinInfo", "KernelSpecInfo", "LaunchRefsInfo")

visibility(["//tools/cuda/..."])

_TOOLCHAIN = Label("//tools/cuda:toolchain_type")

def _compile_ptx(ctx, toolkit, spec, arch, lines = False):
    """One nvcc action: the entries to PTX of one architecture.

    Args:
      ctx: the rule's.
      toolkit: the CudaToolkitInfo.
      spec: the KernelSpecInfo.
      arch: the architecture's number.
      lines: whether to say which lines the code is of. The instructions are the same, but the text names the folder in
        which it was compiled, so it is for the audit to read and never ships.

    Returns:
      The PTX.
    """
    cc = find_cc_toolchain(ctx)
    ptx = ctx.actions.declare_file("%s.compute_%s%s.ptx" % (spec.family, arch, ".lines" if lines else ""))
    args = ctx.actions.args()
    if lines:
        args.add("-lineinfo")
    args.add("-std=c++20")
    args.add("-O3")
    args.add("-ptx")
    args.add("-arch=compute_" + arch)

    # nvcc's front end preprocesses with the host compiler. The one Bazel found, not the first on PATH.
    args.add("-ccbin", cc.compiler_executable)
    args.add("-I.")
    args.add("-I" + ctx.bin_dir.path)
    args.add_all(include_folders(spec.compilation_context), format_each = "-I%s")
    args.add_all(ctx.attr.copts)
    args.add("-o", ptx)
    args.add(spec.entries)
    ctx.actions.run(
        executable = toolkit.nvcc,
        arguments = [args],
        inputs = depset([spec.entries], transitive = [
            spec.srcs,
            spec.compilation_context.headers,
            toolkit.nvcc_files,
            cc.all_files,
        ]),
        outputs = [ptx],
        env = {"PATH": "/usr/bin:/bin"},
        mnemonic = "CudaLines" if lines else "CudaPtx",
        progress_message = "Compiling %{input} for compute_" + arch,
    )
    return ptx

def _assemble(ctx, toolkit, spec, arch, ptx):
    """One ptxas action: PTX to a cubin, keeping the report."""
    cubin = ctx.actions.declare_file("%s.sm_%s.cubin" % (spec.family, arch))
    log = ctx.actions.declare_file("%s.sm_%s.ptxas.log" % (spec.family, arch))
    args = ctx.actions.args()
    args.add(toolkit.ptxas)
    args.add(log)
    args.add("-O3")
    args.add("-v")
    args.add("-arch=sm_" + arch)
    args.add("-o", cubin)
    args.add(ptx)
    ctx.actions.run_shell(
        # The report goes to stderr, errors too: kept when all is well, shown when not. The lines that tell how long it took
        # would make equal inputs give unequal outputs.
        command = 'ptxas=$1 log=$2; shift 2; report=$("$ptxas" "$@" 2>&1) || { printf "%s\\n" "$report" >&2; exit 1; }; ' +
                  'printf "%s\\n" "$report" | grep -v "Compile time" >"$log"',
        arguments = [args],
        inputs = [ptx],
        tools = [toolkit.ptxas],
        outputs = [cubin, log],
        mnemonic = "CudaAssemble",
        progress_message = "Assembling %{input} for sm_" + arch,
    )
    return struct(arch = arch, cubin = cubin, log = log)

def _join(ctx, toolkit, spec, assembled, ptx):
    """The fatbinary action."""
    images = [("elf", a.arch, a.cubin) for a in assembled] + [("ptx", arch, file) for arch, file in ptx]
    args = ctx.actions.args()
    args.add("--64")

    # fatbinary would pack PTX with zstd, which neither old drivers nor our own reader unpack.
    args.add("--compress-mode=none")
    args.add(ctx.outputs.out, format = "--create=%s")
    for kind, arch, file in images:
        args.add(file, format = "--image3=kind=%s,sm=%s,file=%%s" % (kind, arch))
    ctx.actions.run(
        executable = toolkit.fatbinary,
        arguments = [args],
        inputs = [file for _, _, file in images],
        outputs = [ctx.outputs.out],
        mnemonic = "CudaFatbin",
        progress_message = "Joining the images of " + spec.family,
    )

def _write_manifest(ctx, spec, assembled):
    """The manifest action: the spec joined with what the images say."""
    args = ctx.actions.args()
    args.add("--spec", spec.spec)
    for a in assembled:
        args.add(a.cubin, format = "--cubin=%s=%%s" % a.arch)
        args.add(a.log, format = "--ptxas-log=%s=%%s" % a.arch)
    args.add("--fatbin", ctx.outputs.out)
    args.add("--out", ctx.outputs.manifest)
    ctx.actions.run(
        executable = ctx.executable._manifest,
        arguments = [args],
        inputs = [spec.spec, ctx.outputs.out] + [a.cubin for a in assembled] + [a.log for a in assembled],
        outputs = [ctx.outputs.manifest],
        mnemonic = "KernelManifest",
        progress_message = "Reading the facts of %{label}",
    )

def _source_argument(package):
    """--src arguments of one Go package."""
    return ["--src=%s=%s" % (package.importpath, f.path) for f in package.srcs]

def _judge_reach(ctx, spec):
    """Two actions: what the launchers reach, and the verdict. A launcher edit that changes no reference stops at the first."""
    roots = []
    for launcher in ctx.attr.launchers:
        importpath = launcher[LaunchRefsInfo].importpath
        if not importpath:
            fail("%s: launchers: %s is no Go package: it has no importpath" % (ctx.label, launcher.label))
        roots.append(importpath)
    packages = depset(transitive = [launcher[LaunchRefsInfo].packages for launcher in ctx.attr.launchers])

    refs = ctx.actions.declare_file(spec.family + ".refs.json")
    args = ctx.actions.args()
    args.add("refs")
    args.add_all(roots, before_each = "--root")
    args.add("--out", refs)
    args.add_all(packages, map_each = _source_argument)
    ctx.actions.run(
        executable = ctx.executable._reach,
        arguments = [args],
        inputs = [f for package in packages.to_list() for f in package.srcs],
        outputs = [refs],
        mnemonic = "LaunchRefs",
        progress_message = "Finding what the launchers of %{label} reach",
    )

    stamp = ctx.actions.declare_file(spec.family + ".reach.ok")
    args = ctx.actions.args()
    args.add("verdict")
    args.add("--spec", spec.spec)
    args.add("--manifest", ctx.outputs.manifest)
    args.add("--refs", refs)
    args.add("--label", str(ctx.label))
    args.add_all(["%s=%s" % (name, reason) for name, reason in sorted(ctx.attr.unlaunched.items())], before_each = "--unlaunched")
    args.add("--out", stamp)
    ctx.actions.run(
        executable = ctx.executable._reach,
        arguments = [args],
        inputs = [spec.spec, ctx.outputs.manifest, refs],
        outputs = [stamp],
        mnemonic = "ReachVerdict",
        progress_message = "Judging that every kernel of %{label} is launched",
    )
    return stamp

def compile_images(ctx, spec):
    """The images of a family and their manifest, for a rule with IMAGE_ATTRS. Judges nothing.

    Args:
      ctx: the rule's.
      spec: the family's KernelSpecInfo.

    Returns:
      struct(groups, providers): output groups, by name, and what the rule gives beside them.
    """
    toolkit = ctx.toolchains[_TOOLCHAIN].cuda
    archs = parse_archs(ctx.label, ctx.attr.archs)

    ptx = {arch: _compile_ptx(ctx, toolkit, spec, arch) for arch in depset(archs.sass + archs.ptx, order = "preorder").to_list()}
    assembled = [_assemble(ctx, toolkit, spec, arch, ptx[arch]) for arch in archs.sass]
    _join(ctx, toolkit, spec, assembled, [(arch, ptx[arch]) for arch in archs.ptx])
    _write_manifest(ctx, spec, assembled)
    sass = {a.arch: disassemble(ctx, toolkit, spec.family, a) for a in assembled}

    # Of one architecture: a finding that has its line there is found elsewhere too.
    lines = _compile_ptx(ctx, toolkit, spec, archs.sass[-1], lines = True)
    write_audit(ctx, spec.family, assembled, ptx, sass, lines)

    files = depset([ctx.outputs.out, ctx.outputs.manifest, ctx.outputs.audit] + ([spec.proof] if spec.proof else []))
    return struct(
        groups = dict(
            cubins = depset([a.cubin for a in assembled]),
            ptx = depset(ptx.values()),
            ptxas_logs = depset([a.log for a in assembled]),
            sass = depset(sass.values()),
        ),
        providers = [
            DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files)),
            CudaFatbinInfo(
                archs = ctx.attr.archs,
                audit = ctx.outputs.audit,
                cubins = [a.cubin for a in assembled],
                family = spec.family,
                fatbin = ctx.outputs.out,
                manifest = ctx.outputs.manifest,
                proof = spec.proof,
                ptx = ptx.values(),
                raw = spec.raw,
                sass = sass.values(),
                spec = spec.spec,
            ),
        ],
    )

def _cuda_fatbin_impl(ctx):
    spec = ctx.attr.spec[KernelSpecInfo]
    if spec.raw:
        fail("%s: spec: %s is of raw kernels, which no launcher checks: raw_kernels compiles them, for tests alone" % (ctx.label, ctx.attr.spec.label))
    if not spec.proof:
        fail("%s: spec: nothing is proved of %s: give it `obligations` and `proof`" % (ctx.label, ctx.attr.spec.label))
    images = compile_images(ctx, spec)

    # The verdicts are this rule's own validations: Bazel asks for them wherever any output of this rule is used, through any
    # chain of ordinary edges. An aspect's would only be asked for on the targets of the command line.
    verdicts = depset([_judge_reach(ctx, spec), judge_audit(ctx, spec.family), judge_proof(ctx, spec)])
    return images.providers + [OutputGroupInfo(_validation = verdicts, **images.groups)]

# What compile_images looks at, and the toolchains it needs.
IMAGE_ATTRS = AUDIT_ATTRS | {
    "archs": attr.string_list(
        default = DEFAULT_ARCHS,
        doc = "The images: sm_75 is SASS, compute_75 is PTX.",
    ),
    "copts": attr.string_list(
        doc = "More options for nvcc.",
    ),
    "manifest": attr.output(
        doc = "The manifest to write.",
        mandatory = True,
    ),
    "out": attr.output(
        doc = "The fatbin to write.",
        mandatory = True,
    ),
    "spec": attr.label(
        doc = "The kernel_spec of the family.",
        mandatory = True,
        providers = [KernelSpecInfo],
    ),
    "_manifest": attr.label(
        cfg = "exec",
        default = Label("//tools/manifest"),
        executable = True,
    ),
}
IMAGE_TOOLCHAINS = [_TOOLCHAIN] + use_cc_toolchain()

cuda_fatbin = rule(
    implementation = _cuda_fatbin_impl,
    doc = "Compiles a family for every architecture, joins the images, records their facts, and fails whatever uses them unless every kernel is launched from a public Go function, keeps the rules of the audits, and has a contract that is proved to be enough for it.",
    attrs = IMAGE_ATTRS | VERDICT_ATTRS | {
        "launchers": attr.label_list(
            allow_empty = False,
            aspects = [launch_refs_aspect],
            doc = "The Go packages whose exported declarations must lead to every kernel. Mandatory: there is no image without a launcher.",
            mandatory = True,
        ),
        "unlaunched": attr.string_dict(
            doc = "Kernels that no launcher reaches, each with the reason. It is an error to list one that is reached or does not exist.",
        ),
        "_reach": attr.label(
            cfg = "exec",
            default = Label("//tools/reach"),
            executable = True,
        ),
    },
    fragments = ["cpp"],
    provides = [CudaFatbinInfo],
    toolchains = IMAGE_TOOLCHAINS,
)
