"""The CUDA toolkits as repositories, and the solver that proves contracts."""

load("//tools/cuda/private:local_toolkit.bzl", "local_toolkit")
load("//tools/cuda/private:wheels_toolkit.bzl", "wheels_toolkit")
load("//tools/wheels:wheels.bzl", "wheels_repository")

def cuda_repositories():
    """Makes @warpwright_cuda_local, @warpwright_cuda_wheels and @warpwright_z3. WORKSPACE calls it; MODULE.bazel uses the extension below."""
    local_toolkit(name = "warpwright_cuda_local")
    wheels_toolkit(
        name = "warpwright_cuda_wheels",
        requirements = Label("//tools/cuda:requirements.txt"),
    )
    wheels_repository(
        name = "warpwright_z3",
        build_file = Label("//tools/prove:z3.BUILD.bazel"),
        programs = ["z3_solver-5.4.1.0.data/data/bin/z3"],
        requirements = Label("//tools/prove:requirements.txt"),
    )

def _cuda_impl(mctx):
    cuda_repositories()
    return mctx.extension_metadata(reproducible = True)

cuda = module_extension(
    implementation = _cuda_impl,
    doc = "Makes @warpwright_cuda_local (this machine's toolkit), @warpwright_cuda_wheels (the pinned one) and @warpwright_z3 (the solver of the proofs).",
)
