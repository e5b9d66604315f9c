"""Analysis tests of the CUDA rules: what they would run, and what they refuse."""

load("@bazel_skylib//lib:unittest.bzl", "analysistest", "asserts")
load("//tools/cuda:defs.bzl", "CudaFatbinInfo", "cuda_fatbin", "kernel_images", "kernel_spec", "raw_kernels")

visibility(["//tools/cuda/tests"])

def _argv_after(action, flag):
    """The arguments that follow each occurrence of a flag."""
    argv = action.argv
    return [argv[i + 1] for i in range(len(argv) - 1) if argv[i] == flag]

def _by_mnemonic(env):
    found = {}
    for action in analysistest.target_actions(env):
        found.setdefault(action.mnemonic, []).append(action)
    return found

def _actions_test_impl(ctx):
    env = analysistest.begin(ctx)
    actions = _by_mnemonic(env)
    counts = {name: len(actions.get(name, [])) for name in ["CudaAssemble", "CudaFatbin", "CudaPtx", "KernelManifest", "LaunchRefs", "ReachVerdict", "CudaDisassemble", "CudaLines", "KernelAudit", "AuditVerdict", "ProofVerdict"]}
    asserts.equals(env, {
        "AuditVerdict": 0 if ctx.attr.raw else 1,
        "CudaAssemble": ctx.attr.sass,
        "CudaDisassemble": ctx.attr.sass,
        "CudaFatbin": 1,
        "CudaLines": 1,
        "CudaPtx": ctx.attr.ptx,
        "KernelAudit": 1,
        "KernelManifest": 1,
        "LaunchRefs": 0 if ctx.attr.raw else 1,
        "ProofVerdict": 0 if ctx.attr.raw else 1,
        "ReachVerdict": 0 if ctx.attr.raw else 1,
    }, counts)
    info = analysistest.target_under_test(env)[CudaFatbinInfo]
    asserts.equals(env, ctx.attr.raw, info.raw)
    asserts.equals(env, ctx.attr.raw, info.proof == None)

    for action in actions["CudaPtx"]:
        asserts.true(env, "-ptx" in action.argv, "nvcc makes PTX, ptxas SASS: %s" % action.argv)
        asserts.true(env, "-std=c++20" in action.argv and "-O3" in action.argv)

        # Line tables hold paths of the machine that compiled.
        asserts.false(env, "-lineinfo" in action.argv or "-G" in action.argv)
        names = [f.short_path for f in action.inputs.to_list()]
        asserts.false(env, any(["/thrust/" in n or "/cub/" in n or n.endswith("/fatbinary") for n in names]), "nvcc's inputs are narrow")
    for action in actions["CudaAssemble"]:
        asserts.true(env, "-v" in action.argv, "ptxas reports spills")
        asserts.true(env, len(action.inputs.to_list()) <= 3, "ptxas gets itself and one PTX: %s" % action.inputs)

    # What has lines is read by the audit and by nothing that ships.
    lines = actions["CudaLines"][0].outputs.to_list()
    asserts.true(env, "-lineinfo" in actions["CudaLines"][0].argv)
    for mnemonic, readers in actions.items():
        for action in readers:
            asserts.equals(env, mnemonic == "KernelAudit", lines[0] in action.inputs.to_list())
    join = actions["CudaFatbin"][0]
    asserts.true(env, "--compress-mode=none" in join.argv)
    images = [a.split(",file=")[0] for a in join.argv if a.startswith("--image3=")]
    asserts.equals(env, ctx.attr.images, images)
    return analysistest.end(env)

actions_test = analysistest.make(
    _actions_test_impl,
    attrs = {
        "images": attr.string_list(doc = "fatbinary's image arguments, without the files."),
        "ptx": attr.int(doc = "How many nvcc runs."),
        "raw": attr.bool(doc = "Whether the kernels are raw, so that nothing judges their reach."),
        "sass": attr.int(doc = "How many ptxas runs."),
    },
)

def _verdict_test_impl(ctx):
    env = analysistest.begin(ctx)
    target = analysistest.target_under_test(env)
    actions = _by_mnemonic(env)

    # The verdicts' stamps are the rule's validations: a plain build of anything that uses the images asks for them.
    stamps = [f.basename for f in target[OutputGroupInfo]._validation.to_list()]
    asserts.equals(env, ["sample.reach.ok", "sample.audit.ok", "sample.proof.ok"], stamps)
    asserts.equals(env, stamps, [f.basename for verdict in ["ReachVerdict", "AuditVerdict", "ProofVerdict"] for f in actions[verdict][0].outputs.to_list()])

    # The roots are the launchers, the sources those of what they import too.
    refs = actions["LaunchRefs"][0]
    asserts.equals(env, ["github.com/warpwright/warpwright/tools/cuda/tests/sample"], _argv_after(refs, "--root"))
    sources = [a for a in refs.argv if a.startswith("--src=")]
    asserts.true(env, any(["tests/sample=" in s for s in sources]))
    asserts.true(env, any(["go/device=" in s for s in sources]))

    info = target[CudaFatbinInfo]
    asserts.equals(env, "sample", info.family)
    asserts.equals(env, "sample.fatbin", info.fatbin.basename)
    asserts.equals(env, "sample.manifest.json", info.manifest.basename)
    asserts.equals(env, "sample.audit.json", info.audit.basename)
    asserts.equals(env, "sample.proof.json", info.proof.basename)
    asserts.equals(env, 3, len(info.cubins))
    asserts.equals(env, 3, len(info.sass))
    return analysistest.end(env)

verdict_test = analysistest.make(_verdict_test_impl)

def _header_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _by_mnemonic(env)["KernelSpec"][0]
    asserts.equals(env, ["tools/cuda/tests/own.h"], _argv_after(action, "--header"), "kernelspec reads the family's own headers")
    return analysistest.end(env)

header_test = analysistest.make(_header_test_impl)

def _proof_test_impl(ctx):
    env = analysistest.begin(ctx)
    action = _by_mnemonic(env)["KernelProof"][0]
    names = [f.basename for f in action.inputs.to_list()]
    asserts.true(env, "sample.obligations.json" in names and "ww.lemmas.json" in names, "a proof is made of obligations and lemmas: %s" % names)

    # So a change of a kernel's body asks for no other proof.
    asserts.false(env, any([n.endswith(".cu") or n.endswith(".h") for n in names]))
    solved = [f.basename for f in action.outputs.to_list()]
    asserts.equals(env, ["sample.solved.json"], solved)

    # What it leaves open is decided by an emulator: its sources and the kernel's, none of it compiled before somebody knows that it is needed.
    action = _by_mnemonic(env)["KernelDecision"][0]
    names = [f.basename for f in action.inputs.to_list()]
    for name in solved + ["sample.obligations.json", "scale.cu", "ww.h", "server.cc", "table.h"]:
        asserts.true(env, name in names, "a decision is made of %s: %s" % (name, names))
    asserts.false(env, any([n.endswith(".a") or n.endswith(".o") or n == "emulator" for n in names]))
    asserts.equals(env, ["sample.proof.json"], [f.basename for f in action.outputs.to_list()])
    return analysistest.end(env)

proof_test = analysistest.make(_proof_test_impl)

def _refusal_test_impl(ctx):
    env = analysistest.begin(ctx)
    asserts.expect_failure(env, ctx.attr.message)
    return analysistest.end(env)

refusal_test = analysistest.make(
    _refusal_test_impl,
    attrs = {"message": attr.string(doc = "Part of the error.")},
    expect_failure = True,
)

def _fatbin(name, **kwargs):
    """A cuda_fatbin of the sample family, for tests alone."""
    attributes = {"launchers": ["//tools/cuda/tests/sample:go"]}
    attributes.update(kwargs)
    cuda_fatbin(
        name = name,
        out = name + ".fatbin",
        audit = name + ".audit.json",
        manifest = name + ".manifest.json",
        spec = "//tools/cuda/tests/sample:sample_spec",
        tags = ["manual"],
        **attributes
    )

def rules_test_suite(name):
    """All analysis tests of the rules.

    Args:
      name: the test suite.
    """
    actions_test(
        name = name + "_actions",
        images = [
            "--image3=kind=elf,sm=75",
            "--image3=kind=elf,sm=86",
            "--image3=kind=elf,sm=90",
            "--image3=kind=ptx,sm=75",
            "--image3=kind=ptx,sm=90",
        ],
        ptx = 3,
        sass = 3,
        target_under_test = "//tools/cuda/tests/sample",
    )
    verdict_test(
        name = name + "_verdict",
        target_under_test = "//tools/cuda/tests/sample",
    )

    proof_test(
        name = name + "_proof",
        target_under_test = "//tools/cuda/tests/sample:sample_spec",
    )

    # A family of which nothing is proved has no images.
    cuda_fatbin(
        name = "unproved",
        out = "unproved.fatbin",
        audit = "unproved.audit.json",
        launchers = ["//tools/cuda/tests/sample:go"],
        manifest = "unproved.manifest.json",
        spec = ":with_header",
        tags = ["manual"],
    )
    refusal_test(
        name = name + "_refuses_unproved",
        message = "nothing is proved of",
        target_under_test = ":unproved",
    )

    # What a source may not contain, a header of the family's own may not either.
    kernel_spec(
        name = "with_header",
        srcs = ["//tools/cuda/tests/sample:scale.cu"],
        hdrs = ["own.h"],
        emulator_table = "with_header.emu.cc",
        entries = "with_header.entries.cu",
        family = "sample",
        go_package = "samplekernels",
        launchers = "with_header.go",
        spec = "with_header.spec.json",
        tags = ["manual"],
        deps = ["//cuda/include:ww"],
    )
    header_test(
        name = name + "_header",
        target_under_test = ":with_header",
    )

    # PTX of an architecture without SASS costs an nvcc run and no ptxas run.
    _fatbin(
        name = "narrowed",
        archs = ["sm_90", "compute_80"],
    )
    actions_test(
        name = name + "_narrowed",
        images = [
            "--image3=kind=elf,sm=90",
            "--image3=kind=ptx,sm=80",
        ],
        ptx = 2,
        sass = 1,
        target_under_test = ":narrowed",
    )

    refusals = {
        "family": (dict(archs = ["sm_90", "hopper"]), "archs: \"hopper\" is no architecture"),
        "no_sass": (dict(archs = ["compute_90"]), "archs: no sm_XX among"),
        "not_go": (dict(launchers = ["//cuda/include:ww"]), "is no Go package"),
        "old": (dict(archs = ["sm_70"]), "archs: \"sm_70\" is older than sm_75"),
        "twice": (dict(archs = ["sm_90", "sm_90"]), "archs: \"sm_90\" is listed twice"),
    }
    for case, (attributes, message) in refusals.items():
        _fatbin(name = "refused_" + case, **attributes)
        refusal_test(
            name = name + "_refuses_" + case,
            message = message,
            target_under_test = ":refused_" + case,
        )

    # Raw kernels are compiled as others are; nobody judges them, and tests alone may have them.
    raw_kernels(
        name = "raw",
        testonly = True,
        srcs = ["raw.cu"],
        tags = ["manual"],
    )
    actions_test(
        name = name + "_raw",
        images = [
            "--image3=kind=elf,sm=75",
            "--image3=kind=elf,sm=86",
            "--image3=kind=elf,sm=90",
            "--image3=kind=ptx,sm=75",
            "--image3=kind=ptx,sm=90",
        ],
        ptx = 3,
        raw = True,
        sass = 3,
        target_under_test = ":raw",
    )
    raw_kernels(
        name = "raw_for_all",
        srcs = ["raw.cu"],
        tags = ["manual"],
    )
    kernel_images(
        name = "released_raw_images",
        families = [":raw"],
        tags = ["manual"],
    )
    cuda_fatbin(
        name = "launched_raw",
        testonly = True,
        out = "launched_raw.fatbin",
        audit = "launched_raw.audit.json",
        launchers = ["//tools/cuda/tests/sample:go"],
        manifest = "launched_raw.manifest.json",
        spec = ":raw_spec",
        tags = ["manual"],
    )
    raw_refusals = {
        "raw_as_launched": (":launched_raw", "raw_spec is of raw kernels, which no launcher checks"),
        "raw_in_images": (":released_raw_images", "depends on testonly target '//tools/cuda/tests:raw'"),
        "raw_for_all": (":raw_for_all_spec", "raw kernels have no contract, so they are for tests alone: requires testonly = True"),
    }
    for case, (target, message) in raw_refusals.items():
        refusal_test(
            name = name + "_refuses_" + case,
            message = message,
            target_under_test = target,
        )
    native.test_suite(
        name = name,
        tests = [name + "_actions", name + "_header", name + "_narrowed", name + "_proof", name + "_raw", name + "_refuses_unproved", name + "_verdict"] +
                [name + "_refuses_" + case for case in refusals.keys() + raw_refusals.keys()],
    )
