"""piece_tests: one test a piece of the museum, so that Bazel runs again what has changed."""

load("//tools/cuda/private:launch_refs.bzl", "launch_refs_aspect")
load("//tools/cuda/private:providers.bzl", "LaunchRefsInfo")

visibility(["//tests/faults/..."])

_TOOLCHAIN = Label("//tools/cuda:toolchain_type")

def _piece_test_impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.test, is_executable = True)
    toolkit = ctx.toolchains[_TOOLCHAIN].cuda
    files = {
        "FAULTS_FATBINARY": toolkit.fatbinary,
        "FAULTS_NVCC": toolkit.nvcc,
        "FAULTS_NVDISASM": toolkit.nvdisasm,
        "FAULTS_PTXAS": toolkit.ptxas,
        "FAULTS_RUNTIME": ctx.file._runtime,
        "FAULTS_VOCABULARY_ASAN": ctx.file._vocabulary_asan,
        "FAULTS_VOCABULARY_TSAN": ctx.file._vocabulary_tsan,
    }
    programs = {
        "FAULTS_AUDIT": ctx.attr._audit,
        "FAULTS_KERNELSPEC": ctx.attr._kernelspec,
        "FAULTS_MANIFEST": ctx.attr._manifest,
        "FAULTS_PROVE": ctx.attr._prove,
        "FAULTS_REACH": ctx.attr._reach,
        "FAULTS_Z3": ctx.attr._z3,
    }
    sources = [package.srcs for dep in ctx.attr._packages for package in dep[LaunchRefsInfo].packages.to_list()]
    runfiles = ctx.runfiles(
        files.values() + ctx.files.pieces + ctx.files.docs + ctx.files._headers + [f for srcs in sources for f in srcs],
        transitive_files = toolkit.nvcc_files,
    )
    for program in programs.values() + [ctx.attr._vocabulary_asan, ctx.attr._vocabulary_tsan]:
        runfiles = runfiles.merge(program[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(executable = executable, runfiles = runfiles.merge(ctx.attr.test[DefaultInfo].default_runfiles)),
        RunEnvironmentInfo(environment = {name: f.short_path for name, f in files.items()} | {
            name: program[DefaultInfo].files_to_run.executable.short_path
            for name, program in programs.items()
        }),
    ]

def _program(label):
    return attr.label(cfg = "target", default = Label(label), executable = True)

_piece_test = rule(
    implementation = _piece_test_impl,
    doc = "Runs the museum's test with the tools that it needs.",
    attrs = {
        "docs": attr.label_list(
            allow_files = True,
            doc = "Pages that are made of the pieces.",
        ),
        "pieces": attr.label_list(
            allow_files = [".txtar"],
            doc = "The pieces to judge.",
        ),
        "test": attr.label(
            cfg = "target",
            doc = "The go_test; its working folder is the root of the runfiles.",
            executable = True,
            mandatory = True,
        ),
        "_audit": _program("//tools/audit"),
        "_headers": attr.label_list(
            default = [Label("//cuda/include:headers"), Label("//emu:sources")],
        ),
        "_kernelspec": _program("//tools/kernelspec"),
        "_manifest": _program("//tools/manifest"),
        # What generated launchers and the Go files of pieces import, with all that those import: type-checked from source.
        "_packages": attr.label_list(
            aspects = [launch_refs_aspect],
            default = [Label("//go/device"), Label("//go/kernels/launch"), Label("//go/valid")],
        ),
        "_prove": _program("//tools/prove"),
        "_reach": _program("//tools/reach"),
        "_runtime": attr.label(
            allow_single_file = True,
            default = Label("//emu:runtime"),
        ),
        "_vocabulary_asan": attr.label(
            allow_single_file = True,
            default = Label("//tests/faults:asan"),
        ),
        "_vocabulary_tsan": attr.label(
            allow_single_file = True,
            default = Label("//tests/faults:tsan"),
        ),
        "_z3": _program("@warpwright_z3//:z3"),
    },
    test = True,
    toolchains = [_TOOLCHAIN],
)

def piece_tests(name, test, pieces, docs):
    """NAME_PIECE for each piece, and NAME for what concerns all of them: the runner itself and the pages.

    Args:
      name: prefix of the tests.
      test: the go_test.
      pieces: the pieces' files.
      docs: the pages that are made of them.
    """
    for piece in pieces:
        base = piece.rpartition("/")[2].removesuffix(".txtar")
        _piece_test(
            name = name + "_" + base.replace("-", "_"),
            size = "medium",
            args = ["-test.run=^TestPieces$$"],
            pieces = [piece],
            test = test,
        )
    _piece_test(
        name = name,
        size = "medium",
        args = ["-test.skip=^TestPieces$$"],
        docs = docs,
        pieces = pieces,
        test = test,
    )
