"""The BUILD file of a repository that holds a toolkit, wherever it comes from: all have NVIDIA's layout."""

visibility(["//tools/cuda/..."])

# nvcc gets its helpers, cicc with libdevice, the compiler's and the runtime's own headers and cccl/nv, which cuda_fp16.h
# includes: some 150 files of 1,800. The other programs get themselves.
_TEMPLATE = """\
load("{rule}", "cuda_toolkit")

cuda_toolkit(
    name = "toolkit",
    fatbinary = "{root}/bin/fatbinary",
    nvcc = "{root}/bin/nvcc",
    nvcc_files = glob(
        [
            "{root}/bin/**",
            "{root}/include/*.h",
            "{root}/include/*.hpp",
            "{root}/include/cccl/nv/**",
            "{root}/include/crt/**",
            "{root}/nvvm/**",
        ],
        allow_empty = True,
        exclude = [
            "{root}/bin/fatbinary",
            "{root}/bin/nvdisasm",
            "{root}/bin/nsys*",
            "{root}/bin/ncu*",
            "{root}/bin/cuda-gdb*",
            "{root}/**/* *",
        ],
    ),
    nvdisasm = "{root}/bin/nvdisasm",
    origin = "{origin}",
    ptxas = "{root}/bin/ptxas",
    version = "{version}",
    visibility = ["//visibility:public"],
)
"""

def toolkit_build_file(root, origin, version):
    """Returns the BUILD file of a usable toolkit.

    Args:
      root: the folder, within the repository, that holds bin, include and nvvm.
      origin: where the toolkit comes from, for messages.
      version: its version, as 13.0.
    """
    return _TEMPLATE.format(
        origin = origin,
        root = root,
        rule = Label("//tools/cuda/private:toolkit.bzl"),
        version = version,
    )

def unusable_build_file(problem):
    """Returns the BUILD file of a toolkit that fails, with this problem, when it is chosen."""
    return "load(\"%s\", \"cuda_toolkit\")\n\ncuda_toolkit(\n    name = \"toolkit\",\n    problem = %s,\n    visibility = [\"//visibility:public\"],\n)\n" % (
        Label("//tools/cuda/private:toolkit.bzl"),
        repr(problem),
    )
