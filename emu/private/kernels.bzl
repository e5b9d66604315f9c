"""Kernels as the emulator runs them."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":sanitizers.bzl", "SANITIZERS")

def emu_kernels(name, table, kernels, deps = [], **kwargs):
    """Compiles a kernel family with g++, once for each sanitizer: NAME and NAME_tsan; and without one: NAME_plain.

    Args:
      name: name of the library, to be listed in emulator(kernels = ...).
      table: the C++ source that registers the entries: see emu/table.h.
      kernels: the .cu files that it includes, directly or not.
      deps: further headers that the kernels include.
      **kwargs: common attributes, such as visibility.
    """
    sanitize = {
        suffix: flags + ["-fno-sanitize-recover=undefined"]
        for suffix, flags in SANITIZERS.items()
    }
    for suffix, flags in (sanitize | {"_plain": []}).items():
        cc_library(
            name = name + suffix,
            srcs = [table],
            copts = flags + [
                # No FMA contraction: results are those of the source.
                "-ffp-contract=off",
                "-std=c++20",
                "-O1",
                "-g",
                "-fno-omit-frame-pointer",
                # Reports want lines, not variables; to follow those takes a quarter of the time.
                "-fno-var-tracking",
                # nvcc says nothing where a value is read that was never set; its code then takes what the register holds.
                "-Werror=uninitialized",
                "-Werror=maybe-uninitialized",
                # What no analysis follows, such as what goes by reference, starts as 0xFE in every byte: as a float -1.7e38.
                "-ftrivial-auto-var-init=pattern",
                # What nvcc understands and g++ need not.
                "-Wno-unknown-pragmas",
                # g++ warns that it does not model fences; the emulator does.
                "-Wno-tsan",
            ],
            linkstatic = True,
            # Compiled as part of an emulator only, which has a configuration of its own.
            tags = ["manual"],
            local_defines = ["WW_EMU"],
            textual_hdrs = kernels,
            deps = deps + [Label("//emu:language")],
            alwayslink = True,
            **kwargs
        )
