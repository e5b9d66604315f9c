"""kernel_launchers: the Go package of a family's generated launchers, with the committed copy kept true."""

load("@bazel_skylib//rules:diff_test.bzl", "diff_test")
load("@io_bazel_rules_go//go:def.bzl", "go_library")

visibility(["//tools/cuda/..."])

def _committed_copy_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        "#!/bin/sh\n" +
        "# Renews the committed copy of a generated file.\n" +
        'from="{from}" to="$BUILD_WORKSPACE_DIRECTORY/{to}"\n'.format(
            **{"from": ctx.file.generated.short_path, "to": ctx.file.committed.short_path}
        ) +
        'if cmp -s -- "$from" "$to"; then echo "unchanged: $to"; exit; fi\n' +
        'cp -f -- "$from" "$to" && chmod 644 "$to" && echo "renewed: $to"\n',
        is_executable = True,
    )
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles([ctx.file.generated]))]

_committed_copy = rule(
    implementation = _committed_copy_impl,
    doc = "`bazel run` copies the generated file over the committed one.",
    attrs = {
        "committed": attr.label(
            allow_single_file = True,
            doc = "The file in the source tree.",
            mandatory = True,
        ),
        "generated": attr.label(
            allow_single_file = True,
            doc = "The file that the build makes.",
            mandatory = True,
        ),
    },
    executable = True,
)

# What generated launchers import.
_LAUNCHER_DEPS = [
    Label("//go/contract"),
    Label("//go/device"),
    Label("//go/dtype"),
    Label("//go/kernels/launch"),
    Label("//go/manifest"),
    Label("//go/valid"),
]

def kernel_launchers(name, family, importpath, committed = "launchers.go", deps = [], testonly = False, visibility = None):
    """The Go package of a family's launchers.

    It compiles what the build generates. The committed copy serves `go build` and editors; NAME_stale_test fails when it
    differs, and `bazel run` of NAME_renew renews it.

    Args:
      name: the go_library's name.
      family: label of the kernel_family.
      importpath: the package's import path.
      committed: the committed copy, in this package; None where nobody uses the package without Bazel.
      deps: what the launchers import beside the usual.
      testonly: whether only tests may import the package, as must be where the family is so.
      visibility: who may import the package.
    """
    family = native.package_relative_label(family)
    generated = family.relative(":launchers.go")
    go_library(
        name = name,
        testonly = testonly,
        srcs = [generated],
        importpath = importpath,
        visibility = visibility,
        deps = _LAUNCHER_DEPS + deps,
    )
    if not committed:
        return
    _committed_copy(
        name = name + "_renew",
        testonly = testonly,
        committed = committed,
        generated = generated,
    )
    diff_test(
        name = name + "_stale_test",
        size = "small",
        failure_message = "%s/%s is stale; renew it: ./bazelw run //%s:%s_renew" % (native.package_name(), committed, native.package_name(), name),
        file1 = committed,
        file2 = generated,
    )
