"""gorgonia.org/cu with a BUILD file of ours, and the header it compiles against.

An extension of our own and not go_deps: only the root module may override what go_deps makes, and we are a dependency of others too.
The BUILD file names the shim as @warpwright//tools/shim:libcuda, which means us in either mode, root or not.
"""

load("@bazel_gazelle//:deps.bzl", "go_repository")
load("//tools/wheels:wheels.bzl", "wheels_repository")

def cu_repositories():
    """Makes @warpwright_cu and @warpwright_cuda_h. WORKSPACE calls it; MODULE.bazel uses the extension below."""
    go_repository(
        name = "warpwright_cu",
        build_file_generation = "off",
        importpath = "gorgonia.org/cu",
        patch_args = ["-p1"],
        patches = [Label("//third_party/cu:gorgonia_cu.patch")],
        sum = "h1:m9gAnB9rWDVQACVwavCfQSVNtgLKtrDXRExybwQu9YY=",
        version = "v0.9.6",
    )
    wheels_repository(
        name = "warpwright_cuda_h",
        build_file = Label("//third_party/cu:cuda_h.BUILD.bazel"),
        requirements = Label("//third_party/cu:requirements.txt"),
    )

def _cu_impl(mctx):
    cu_repositories()
    return mctx.extension_metadata(reproducible = True)

cu = module_extension(
    implementation = _cu_impl,
    doc = "Makes @warpwright_cu (gorgonia.org/cu) and @warpwright_cuda_h (cuda.h).",
)
