"""A program with its debug information, in every compilation mode."""

def _never_strip_impl(_settings, _attr):
    return {"//command_line_option:strip": "never"}

_never_strip = transition(
    implementation = _never_strip_impl,
    inputs = [],
    outputs = ["//command_line_option:strip"],
)

def _unstripped_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(
        executable = out,
        runfiles = ctx.runfiles([out]).merge(ctx.attr.program[0][DefaultInfo].default_runfiles),
    )]

unstripped = rule(
    implementation = _unstripped_impl,
    doc = "Builds a program without stripping it: fastbuild would, and reports could not name source lines.",
    attrs = {
        "program": attr.label(
            doc = "The program.",
            mandatory = True,
            executable = True,
            cfg = _never_strip,
        ),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
    executable = True,
)
