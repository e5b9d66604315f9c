"""kernel_test: one Go test, run on every backend."""

load("@io_bazel_rules_go//go:def.bzl", "go_test")

visibility(["//tools/cuda/..."])

def _device_test_impl(ctx):
    # One link serves every backend: what differs is the environment.
    executable = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = executable, target_file = ctx.executable.test, is_executable = True)
    runfiles = ctx.runfiles(ctx.files.driver + ctx.files.emulator + ctx.files.images).merge(ctx.attr.test[DefaultInfo].default_runfiles)
    environment = {"WW_DEVICE": ctx.attr.device, "WW_SIZE": ctx.attr.size_class}
    if ctx.attr.driver:
        environment["WW_LIBCUDA"] = ctx.file.driver.short_path
    if ctx.attr.emulator:
        environment["WW_EMU"] = ctx.executable.emulator.short_path
        runfiles = runfiles.merge(ctx.attr.emulator[DefaultInfo].default_runfiles)
    if ctx.attr.images:
        environment["WW_IMAGES"] = ctx.file.images.short_path
    return [
        DefaultInfo(executable = executable, runfiles = runfiles),
        RunEnvironmentInfo(environment = environment | ctx.attr.env),
    ]

_device_test = rule(
    implementation = _device_test_impl,
    doc = "Runs a go_test with one backend chosen by environment.",
    attrs = {
        "device": attr.string(
            doc = "WW_DEVICE.",
            mandatory = True,
        ),
        "driver": attr.label(
            allow_single_file = True,
            doc = "The driver in place of libcuda.so.1, as WW_LIBCUDA.",
        ),
        "emulator": attr.label(
            cfg = "target",
            doc = "The emulator program, as WW_EMU.",
            executable = True,
        ),
        "env": attr.string_dict(
            doc = "More environment variables.",
        ),
        "images": attr.label(
            allow_single_file = True,
            doc = "The folder of images, as WW_IMAGES.",
        ),
        "size_class": attr.string(
            doc = "WW_SIZE: how large the cases may be: cpu, emu, tsan or gpu.",
            mandatory = True,
        ),
        "test": attr.label(
            cfg = "target",
            doc = "The go_test; its working folder is the root of the runfiles.",
            executable = True,
            mandatory = True,
        ),
    },
    test = True,
)

def kernel_test(
        name,
        srcs,
        deps = [],
        embed = [],
        data = [],
        size = "medium",
        emulator = Label("//cuda:emulator"),
        emulator_tsan = Label("//cuda:emulator_tsan"),
        images = Label("//cuda:images"),
        driver = Label("//cuda:fake_driver"),
        env = {},
        backends = ["cpu", "emu", "tsan", "driver", "gpu"],
        tags = []):
    """One Go test as five targets: NAME_cpu, NAME_emu, NAME_tsan, NAME_driver and NAME_gpu.

    The test opens its device with device.Open, which reads WW_DEVICE, WW_EMU and WW_IMAGES. NAME_driver runs the GPU backend on
    a driver for tests, which loads the real images and launches on the emulator. NAME_gpu is incompatible with
    platforms that have no GPU, so it is skipped without --config=gpu; with it, a missing GPU is a failure.

    Args:
      name: prefix of the targets.
      srcs: the _test.go files.
      deps: what they import.
      embed: the library under test, where the test is of its package.
      data: files the test reads; the working folder is the root of the runfiles.
      size: the tests' size; NAME_tsan is large.
      emulator: the emulator program under ASan and UBSan.
      emulator_tsan: the emulator program under TSan.
      images: the folder of images.
      driver: the driver for tests (go/device/gpu/fakecuda), with the families that the test launches.
      env: more environment variables.
      backends: which of the five there are, where a test has nothing to say on some.
      tags: more tags.
    """
    go_test(
        name = name + "_cases",
        size = size,
        srcs = srcs,
        data = data,
        embed = embed,
        rundir = ".",
        tags = ["manual"],
        deps = deps,
    )
    cases = name + "_cases"
    wanted = {backend: True for backend in backends}
    if wanted.pop("cpu", False):
        _device_test(
            name = name + "_cpu",
            size = size,
            device = "cpu",
            env = env,
            size_class = "cpu",
            tags = tags,
            test = cases,
        )
    if wanted.pop("emu", False):
        _device_test(
            name = name + "_emu",
            size = size,
            device = "emu",
            emulator = emulator,
            env = env,
            size_class = "emu",
            tags = tags,
            test = cases,
        )
    if wanted.pop("tsan", False):
        _device_test(
            name = name + "_tsan",
            # TSan runs some thousand emulated threads a second.
            size = "large",
            device = "emu",
            emulator = emulator_tsan,
            env = env,
            size_class = "tsan",
            tags = tags,
            test = cases,
        )
    if wanted.pop("driver", False):
        _device_test(
            name = name + "_driver",
            size = size,
            device = "gpu",
            driver = driver,
            env = env,
            images = images,
            size_class = "emu",
            tags = tags,
            test = cases,
        )
    if wanted.pop("gpu", False):
        _device_test(
            name = name + "_gpu",
            size = size,
            device = "gpu",
            env = env,
            images = images,
            size_class = "gpu",
            # A result depends on GPU and driver, which Bazel does not see: never share it between machines.
            tags = tags + ["no-remote-cache", "requires-gpu", "resources:gpu:1"],
            target_compatible_with = [Label("//platforms:gpu")],
            test = cases,
        )
    if wanted:
        fail("kernel_test %s: backends: there are cpu, emu, tsan, driver and gpu, no %s" % (name, ", ".join(wanted.keys())))
