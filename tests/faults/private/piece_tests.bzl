"""piece_tests: one test a piece of the museum, so that Bazel runs again what has changed."""

load("@rules_cc//cc:defs.bzl", "CcInfo")

visibility(["//tests/faults/..."])

def _piece_test_impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.test, is_executable = True)
    headers = [dep[CcInfo].compilation_context.headers for dep in ctx.attr.headers]
    runfiles = ctx.runfiles(ctx.files.pieces + ctx.files.docs + ctx.files.runtime, transitive_files = depset(transitive = headers))
    environment = {"FAULTS_RUNTIME": ctx.file.runtime.short_path}
    for name, program in {"FAULTS_KERNELSPEC": ctx.attr._kernelspec}.items():
        environment[name] = program[DefaultInfo].files_to_run.executable.short_path
        runfiles = runfiles.merge(program[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(executable = executable, runfiles = runfiles.merge(ctx.attr.test[DefaultInfo].default_runfiles)),
        RunEnvironmentInfo(environment = environment),
    ]

_piece_test = rule(
    implementation = _piece_test_impl,
    doc = "Runs the museum's test with the tools that it needs.",
    attrs = {
        "docs": attr.label_list(
            allow_files = True,
            doc = "Pages that are made of the pieces.",
        ),
        "headers": attr.label_list(
            default = [Label("//cuda/include:ww"), Label("//emu:language")],
            doc = "What kernels include.",
            providers = [CcInfo],
        ),
        "pieces": attr.label_list(
            allow_files = [".txtar"],
            doc = "The pieces to judge.",
        ),
        "runtime": attr.label(
            allow_single_file = True,
            default = Label("//emu:runtime"),
            doc = "The emulator's runtime, which a piece's kernels are linked with.",
        ),
        "test": attr.label(
            cfg = "target",
            doc = "The go_test; its working folder is the root of the runfiles.",
            executable = True,
            mandatory = True,
        ),
        "_kernelspec": attr.label(
            cfg = "target",
            default = Label("//tools/kernelspec"),
            executable = True,
        ),
    },
    test = True,
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
