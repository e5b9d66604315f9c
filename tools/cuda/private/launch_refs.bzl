"""launch_refs_aspect: collects the Go sources that a launchers target is made of.

It looks at attributes and files only and loads nothing of the Go rules, so it works on whatever rules make Go packages.
Two traps: an aspect with required_providers is blind behind filegroup and alias, in silence; and attr_aspects = ["*"]
would walk private tool attributes too.
"""

load(":providers.bzl", "LaunchRefsInfo")

visibility(["//tools/cuda/...", "//tests/faults/..."])

# Edges that a Go package's meaning flows along; `actual` for alias, `srcs` for filegroup.
_EDGES = ["deps", "embed", "srcs", "actual"]

def _launch_refs_impl(_target, ctx):
    below = []
    for edge in _EDGES:
        value = getattr(ctx.rule.attr, edge, None)
        for dep in value if type(value) == "list" else [value]:
            if type(dep) == "Target" and LaunchRefsInfo in dep:
                below.append(dep[LaunchRefsInfo])

    importpath = getattr(ctx.rule.attr, "importpath", "")
    direct = []
    if importpath:
        # What a library embeds is compiled as part of it: its sources count under the embedding path too.
        sources = [f for f in getattr(ctx.rule.files, "srcs", []) if f.extension == "go"]
        direct.append(struct(importpath = importpath, srcs = tuple(sources)))
    elif len(below) == 1:
        importpath = below[0].importpath
    return [LaunchRefsInfo(
        importpath = importpath,
        packages = depset(direct, transitive = [b.packages for b in below]),
    )]

launch_refs_aspect = aspect(
    implementation = _launch_refs_impl,
    doc = "Collects the Go sources of a target and of what it depends on, by import path.",
    attr_aspects = _EDGES,
    provides = [LaunchRefsInfo],
)
