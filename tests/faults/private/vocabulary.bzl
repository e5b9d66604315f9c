"""vocabulary: the headers that every kernel of the museum includes, read once by g++ for all pieces."""

visibility(["//tests/faults/..."])

# Those of tools/workshop, which says where they come from; g++ refuses a precompiled header of other flags.
_FLAGS = ["-std=c++20", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-var-tracking", "-ffp-contract=off", "-Wno-unknown-pragmas", "-Wno-tsan", "-Werror=uninitialized", "-Werror=maybe-uninitialized", "-ftrivial-auto-var-init=pattern", "-DWW_EMU"]

def _vocabulary_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + "/all.h")
    compiled = ctx.actions.declare_file(ctx.label.name + "/all.h.gch")
    ctx.actions.write(header, "".join(["#include \"%s\"\n" % h for h in ["emu/cuda.h", "emu/table.h", "ww/ww.h"]]))
    args = ctx.actions.args()
    args.add_all(_FLAGS)
    args.add_all(ctx.attr.flags)
    args.add_all(["-I.", "-Icuda/include", "-x", "c++-header", header, "-o", compiled])
    ctx.actions.run_shell(
        # The tests compile with the first g++ on PATH.
        command = 'exec g++ "$@"',
        arguments = [args],
        inputs = ctx.files._headers + [header],
        outputs = [compiled],
        use_default_shell_env = True,
        mnemonic = "Vocabulary",
        progress_message = "Reading the vocabulary of kernels for %{label}",
    )
    return [DefaultInfo(files = depset([header]), runfiles = ctx.runfiles([header, compiled]))]

vocabulary = rule(
    implementation = _vocabulary_impl,
    doc = "Precompiles all.h for one sanitizer.",
    attrs = {
        "flags": attr.string_list(
            doc = "The sanitizer's flags.",
        ),
        "_headers": attr.label_list(
            default = [Label("//cuda/include:headers"), Label("//emu:headers")],
        ),
    },
)
