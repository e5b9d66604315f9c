"""The solver as a repository."""

load("//tools/wheels:wheels.bzl", "wheels_repository")

def prove_repositories():
    """Makes @warpwright_z3. WORKSPACE calls it; MODULE.bazel uses the extension below."""
    wheels_repository(
        name = "warpwright_z3",
        build_file = Label("//tools/prove:z3.BUILD.bazel"),
        programs = ["z3_solver-5.4.1.0.data/data/bin/z3"],
        requirements = Label("//tools/prove:requirements.txt"),
    )

def _prove_impl(mctx):
    prove_repositories()
    return mctx.extension_metadata(reproducible = True)

prove = module_extension(
    implementation = _prove_impl,
    doc = "Makes @warpwright_z3 (the solver of the proofs).",
)
