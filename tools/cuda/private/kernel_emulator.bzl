"""kernel_emulator: a program that runs some families on the CPU, thread by thread, under the sanitizers.

Two programs: NAME under ASan and UBSan, NAME_tsan under TSan. Kernels are compiled with the sanitizer; the emulator's own
runtime is compiled without, once for both: it switches stacks, and finds the sanitizer it is linked with by weak symbols.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

visibility(["//tools/cuda/..."])

# Suffix of a target's name -> the sanitizers it is compiled and linked with.
_VARIANTS = {
    "_tsan": ["-fsanitize=thread"],
    "": ["-fsanitize=address,undefined"],
}

_COPTS = [
    "-std=c++20",
    # -O1 keeps reports readable and is what the emulator's speed was measured with.
    "-O1",
    "-g",
    "-fno-omit-frame-pointer",
    "-fno-sanitize-recover=all",
    "-DWW_EMU",
]

def emulated_family(name, emulator_table, textual_hdrs, deps, visibility):
    """The family's kernels compiled for the emulator: NAME_emulated and NAME_emulated_tsan.

    Args:
      name: the family.
      emulator_table: the generated C++.
      textual_hdrs: what the generated C++ includes: the entries and the sources.
      deps: C++ libraries whose headers the sources include.
      visibility: who may link them.
    """
    for suffix, sanitizers in _VARIANTS.items():
        cc_library(
            name = name + "_emulated" + suffix,
            srcs = [emulator_table],
            copts = _COPTS + sanitizers,
            textual_hdrs = textual_hdrs,
            visibility = visibility,
            deps = deps + [Label("//emu")],
            # Nothing names the registration by symbol.
            alwayslink = True,
        )

def kernel_emulator(name, families, visibility = None):
    """The programs NAME (ASan and UBSan) and NAME_tsan that run these families.

    Args:
      name: the program's name.
      families: labels of kernel_family targets.
      visibility: who may run them.
    """
    labels = [native.package_relative_label(f) for f in families]
    for suffix, sanitizers in _VARIANTS.items():
        cc_binary(
            name = name + suffix,
            linkopts = sanitizers,
            visibility = visibility,
            deps = [label.relative(":%s_emulated%s" % (label.name, suffix)) for label in labels] + [Label("//emu:main")],
        )
