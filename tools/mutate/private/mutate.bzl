"""mutate_program and mutate_test: what makes and judges mutants, with the nets' tools of this very build."""

visibility([
    "//tests/mutants/...",
    "//tools/mutate/...",
])

_TOOLCHAIN = Label("//tools/cuda:toolchain_type")

def _impl(ctx):
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.program, is_executable = True)
    toolkit = ctx.toolchains[_TOOLCHAIN].cuda
    files = {
        "MUTATE_NVCC": toolkit.nvcc,
        "MUTATE_NVDISASM": toolkit.nvdisasm,
        "MUTATE_PTXAS": toolkit.ptxas,
        "MUTATE_RUNTIME": ctx.file._runtime,
    }
    programs = {
        "MUTATE_KERNELSPEC": ctx.attr._kernelspec,
        "MUTATE_Z3": ctx.attr._z3,
    }
    runfiles = ctx.runfiles(files.values() + ctx.files.data, transitive_files = toolkit.nvcc_files)
    for program in programs.values() + [ctx.attr.program]:
        runfiles = runfiles.merge(program[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(executable = executable, runfiles = runfiles),
        RunEnvironmentInfo(environment = {name: f.short_path for name, f in files.items()} | {
            name: program[DefaultInfo].files_to_run.executable.short_path
            for name, program in programs.items()
        }),
    ]

def _program(label):
    return attr.label(cfg = "target", default = Label(label), executable = True)

_ATTRS = {
    "data": attr.label_list(
        allow_files = True,
        doc = "Files that the program reads.",
    ),
    "program": attr.label(
        cfg = "target",
        doc = "The program that is run.",
        executable = True,
        mandatory = True,
    ),
    "_kernelspec": _program("//tools/kernelspec"),
    "_runtime": attr.label(
        allow_single_file = True,
        default = Label("//emu:runtime"),
    ),
    "_z3": _program("@warpwright_z3//:z3"),
}

mutate_program = rule(
    implementation = _impl,
    doc = "A program that is told by MUTATE_... in its environment where the nets' tools are.",
    attrs = _ATTRS,
    executable = True,
    toolchains = [_TOOLCHAIN],
)

mutate_test = rule(
    implementation = _impl,
    doc = "The same as a test.",
    attrs = _ATTRS,
    test = True,
    toolchains = [_TOOLCHAIN],
)
