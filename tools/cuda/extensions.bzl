"""The CUDA toolkits as repositories."""

load("//tools/cuda/private:local_toolkit.bzl", "local_toolkit")
load("//tools/cuda/private:wheels_toolkit.bzl", "wheels_toolkit")

def cuda_repositories():
    """Makes @warpwright_cuda_local and @warpwright_cuda_wheels. WORKSPACE calls it; MODULE.bazel uses the extension below."""
    local_toolkit(name = "warpwright_cuda_local")
    wheels_toolkit(
        name = "warpwright_cuda_wheels",
        requirements = Label("//tools/cuda:requirements.txt"),
    )

def _cuda_impl(mctx):
    cuda_repositories()
    return mctx.extension_metadata(reproducible = True)

cuda = module_extension(
    implementation = _cuda_impl,
    doc = "Makes @warpwright_cuda_local (this machine's toolkit) and @warpwright_cuda_wheels (the pinned one).",
)
