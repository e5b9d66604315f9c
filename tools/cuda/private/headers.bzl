"""Include folders, as Bazel's C++ rules know them, for tools that only understand -I."""

load("@rules_cc//cc:defs.bzl", "CcInfo", "cc_common")

visibility(["//tools/cuda/..."])

def merged_headers(deps):
    """Returns the merged CompilationContext of some C++ targets."""
    return cc_common.merge_cc_infos(cc_infos = [d[CcInfo] for d in deps]).compilation_context

def include_folders(context):
    """Returns a context's include folders, each once, as a depset of strings."""
    return depset(transitive = [context.includes, context.system_includes, context.quote_includes, context.external_includes])
