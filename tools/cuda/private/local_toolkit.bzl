"""local_toolkit: the toolkit that this machine has, if it has one."""

load(":toolkit_files.bzl", "toolkit_build_file", "unusable_build_file")

visibility(["//tools/cuda/..."])

_OLDEST = (13, 0)

def _find(rctx):
    """Returns (folder, how it was found), or (None, where was looked)."""
    home = rctx.getenv("CUDA_HOME")
    if home:
        # Named by the user: taken at their word, so that a wrong name is an error and not a silent other toolkit.
        return rctx.path(home), "CUDA_HOME=" + home
    nvcc = rctx.which("nvcc")
    if nvcc:
        return nvcc.realpath.dirname.dirname, "nvcc on PATH"
    usual = rctx.path("/usr/local/cuda")

    # Whoever installs a toolkit while Bazel's server runs should not have to restart it.
    rctx.watch(usual)
    if usual.exists:
        return usual, "/usr/local/cuda"
    return None, "CUDA_HOME is not set, PATH has no nvcc, /usr/local/cuda is not there"

def _version(rctx, nvcc):
    """Returns the release that nvcc reports as a tuple, or None."""
    result = rctx.execute([nvcc, "--version"])
    words = result.stdout.replace(",", " ").replace("\n", " ").split(" ")
    for i, word in enumerate(words[:-1]):
        if word == "release":
            parts = words[i + 1].split(".")
            if len(parts) == 2 and parts[0].isdigit() and parts[1].isdigit():
                return (int(parts[0]), int(parts[1]))
    return None

def _examine(rctx):
    """Returns (folder, version, None) for a usable toolkit, else (None, None, problem)."""
    folder, how = _find(rctx)
    if not folder:
        return None, None, "there is no local CUDA toolkit: %s; use --@warpwright//tools/cuda:toolkit=wheels" % how
    for program in ["nvcc", "ptxas", "fatbinary", "nvdisasm"]:
        path = folder.get_child("bin").get_child(program)
        rctx.watch(path)
        if not path.exists:
            return None, None, "the local CUDA toolkit %s (%s) has no bin/%s" % (folder, how, program)
    version = _version(rctx, folder.get_child("bin").get_child("nvcc"))
    if not version:
        return None, None, "the local CUDA toolkit %s (%s) does not tell its version: `nvcc --version` failed" % (folder, how)
    if version < _OLDEST:
        return None, None, "the local CUDA toolkit %s (%s) is %d.%d, at least %d.%d is needed; use --@warpwright//tools/cuda:toolkit=wheels" % (
            (folder, how) + version + _OLDEST
        )
    return folder, "%d.%d" % version, None

def _local_toolkit_impl(rctx):
    folder, version, problem = _examine(rctx)
    if problem:
        rctx.file("BUILD.bazel", unusable_build_file(problem))
    else:
        for name in ["bin", "include", "nvvm"]:
            rctx.symlink(folder.get_child(name), "toolkit/" + name)
        rctx.file("BUILD.bazel", toolkit_build_file("toolkit", str(folder), version))
    rctx.file("usable.bzl", "\"\"\"Whether this machine has a toolkit to use.\"\"\"\n\nUSABLE = %s\n" % (not problem))

local_toolkit = repository_rule(
    implementation = _local_toolkit_impl,
    doc = "The toolkit at CUDA_HOME, else of the nvcc on PATH, else at /usr/local/cuda. usable.bzl's USABLE says whether one is there and new enough.",
    environ = ["CUDA_HOME", "PATH"],
    local = True,
)
