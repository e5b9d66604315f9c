"""Tests that run Bazel themselves."""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

# What Bazel, pip and Go need to know of this machine to fetch.
_ENVIRONMENT = [
    "GOFLAGS",
    "GONOSUMDB",
    "GOPROXY",
    "GOSUMDB",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "PATH",
    "PIP_CERT",
    "PIP_CONFIG_FILE",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "SSL_CERT_FILE",
    "WARPWRIGHT_CACHE",
    "WARPWRIGHT_OFFLINE",
    "XDG_CACHE_HOME",
]

def bazel_test(name, src, data = [], tags = [], **kwargs):
    """A shell test that runs Bazel in this source tree, with an output base of its own.

    Args:
      name: the test.
      src: the script, which sources inner.sh.
      data: what the result depends on: Bazel sees no other input, so it reruns the test when these change.
      tags: more tags.
      **kwargs: as of sh_test.
    """
    sh_test(
        name = name,
        srcs = [src],
        data = data + [
            "inner.sh",
            "//:MODULE.bazel",
        ],
        env_inherit = _ENVIRONMENT,
        # Unsandboxed: it writes to the user's cache and fetches repositories.
        tags = tags + ["no-sandbox"],
        **kwargs
    )
