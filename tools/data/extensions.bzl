"""Real data for examples and tests, as repositories."""

load("//tools/wheels:wheels.bzl", "wheels_repository")

def data_repositories():
    """Makes @warpwright_cect. WORKSPACE calls it; MODULE.bazel uses the extension below."""
    wheels_repository(
        name = "warpwright_cect",
        build_file = Label("//tools/data:cect.BUILD.bazel"),
        requirements = Label("//tools/data:requirements.txt"),
    )

def _data_impl(mctx):
    data_repositories()
    return mctx.extension_metadata(reproducible = True)

data = module_extension(
    implementation = _data_impl,
    doc = "Makes @warpwright_cect (connectomes of C. elegans).",
)
