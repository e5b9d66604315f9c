"""The emulator program."""

load("@rules_cc//cc:defs.bzl", "cc_binary")
load(":sanitizers.bzl", "SANITIZERS")
load(":unstripped.bzl", "unstripped")

def emulator(name, kernels, testonly = False, **kwargs):
    """Links an emulator of some kernel families: NAME (ASan and UBSan) and NAME_tsan.

    Args:
      name: name of the program.
      kernels: names of emu_kernels, all of whose entries the program will hold.
      testonly: whether only tests may use it.
      **kwargs: common attributes, such as visibility.
    """
    families = [native.package_relative_label(k) for k in kernels]
    for suffix, flags in SANITIZERS.items():
        # Built under `unstripped` only: `manual` keeps //... from building it a second time.
        cc_binary(
            name = name + suffix + "_linked",
            testonly = testonly,
            linkopts = flags,
            tags = ["manual"],
            visibility = ["//visibility:private"],
            deps = [f.same_package_label(f.name + suffix) for f in families] + [Label("//emu:runtime")],
        )
        unstripped(
            name = name + suffix,
            testonly = testonly,
            program = name + suffix + "_linked",
            **kwargs
        )
