"""wheels_toolkit: NVIDIA's compiler wheels, pinned by hash."""

load("//tools/wheels:wheels.bzl", "fetch_wheels")
load(":toolkit_files.bzl", "toolkit_build_file")

visibility(["//tools/cuda/..."])

_ROOT = "nvidia/cu13"

# glibc 2.42 declares rsqrt and rsqrtf as noexcept, and CUDA's own declarations, up to 13.1, clash with that.
_PATCHED = _ROOT + "/include/crt/math_functions.h"
_DECLARATIONS = ["rsqrt(double x);", "rsqrtf(float x);"]

def _wheels_toolkit_impl(rctx):
    fetch_wheels(rctx, rctx.attr.requirements)

    # A wheel carries no mode bits that extract() would keep.
    for folder in ["bin", "nvvm/bin"]:
        result = rctx.execute(["chmod", "-R", "+x", "%s/%s" % (_ROOT, folder)])
        if result.return_code:
            fail("%s: %s" % (folder, result.stderr))

    text = rctx.read(_PATCHED)
    for declaration in _DECLARATIONS:
        if declaration not in text:
            fail("%s has no declaration `%s` to patch for glibc 2.42: these wheels are not the ones that this rule knows" % (_PATCHED, declaration))
        text = text.replace(declaration, declaration.replace(";", " __THROW;"))
    rctx.file(_PATCHED, text)

    rctx.file("BUILD.bazel", toolkit_build_file(_ROOT, "wheels", "13.0"))

wheels_toolkit = repository_rule(
    implementation = _wheels_toolkit_impl,
    doc = "The CUDA compiler from NVIDIA's own wheels; for linux x86_64.",
    attrs = {
        "requirements": attr.label(
            doc = "The pinned wheels.",
            mandatory = True,
        ),
    },
)
