"""Repositories made of Python wheels: a wheel is a zip that every pip mirror carries, whatever lies inside.

pip fetches them, so the user's own pip settings decide the mirror and pip's cache keeps them once for all checkouts.
Every requirement is pinned by hash: pip refuses a file that differs.
"""

# Wheels for this platform alone, whatever Python runs pip.
_PLATFORMS = ["manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_27_x86_64"]

def fetch_wheels(rctx, requirements):
    """Downloads the pinned wheels and unpacks them, one over the other, into the repository.

    Args:
      rctx: the repository context.
      requirements: label of a requirements file with a --hash for every line.
    """
    python = rctx.which("python3")
    if not python:
        fail("fetching %s needs python3 with pip on PATH, which has no python3" % requirements)
    command = [python, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--require-hashes"]
    command += ["--platform=" + p for p in _PLATFORMS]
    command += ["--dest", "wheels", "-r", rctx.path(requirements)]
    rctx.report_progress("pip download -r %s" % requirements.name)
    result = rctx.execute(command, timeout = 1800)
    if result.return_code:
        fail("pip could not fetch the wheels that %s pins (exit code %d):\n%s" % (requirements, result.return_code, result.stderr))
    for wheel in rctx.path("wheels").readdir():
        # extract() goes by the extension, and a wheel is a zip.
        rctx.symlink(wheel, wheel.basename + ".zip")
        rctx.extract(wheel.basename + ".zip")
        rctx.delete(wheel.basename + ".zip")
    rctx.delete("wheels")

def _wheels_repository_impl(rctx):
    fetch_wheels(rctx, rctx.attr.requirements)

    # A wheel carries no mode bits that extract() would keep.
    for program in rctx.attr.programs:
        result = rctx.execute(["chmod", "+x", program])
        if result.return_code:
            fail("%s: programs: %s: %s" % (rctx.name, program, result.stderr))
    rctx.file("BUILD.bazel", rctx.read(rctx.attr.build_file))

wheels_repository = repository_rule(
    implementation = _wheels_repository_impl,
    doc = "A repository of what some wheels carry: headers, data, programs.",
    attrs = {
        "build_file": attr.label(
            doc = "The BUILD file of the repository.",
            mandatory = True,
        ),
        "programs": attr.string_list(
            doc = "Files that can be run, by their paths in the repository.",
        ),
        "requirements": attr.label(
            doc = "A pip requirements file; every line pinned with ==, and by --hash.",
            mandatory = True,
        ),
    },
)
