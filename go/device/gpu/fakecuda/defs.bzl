"""A driver for tests that runs kernel families on the emulator."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def fake_driver(name, kernels = [], **kwargs):
    """Links libNAME.so, which WW_LIBCUDA makes a program take for libcuda.so.1: see README.md.

    Args:
      name: name of the library.
      kernels: names of emu_kernels whose entries it can launch, beside its own probes.
      **kwargs: common attributes, such as visibility.
    """
    families = [native.package_relative_label(k) for k in kernels]
    cc_binary(
        name = name,
        testonly = True,
        linkopts = ["-lpthread"],
        linkshared = True,
        deps = [f.same_package_label(f.name + "_plain") for f in families] + [Label("//go/device/gpu/fakecuda:driver")],
        **kwargs
    )
