"""GPU architectures: what a name such as sm_75 or compute_90 means here."""

visibility(["//tools/cuda/..."])

# What the repository promises: SASS for these three, PTX of 75 for what lies between (8.0, the A100) and of 90 for what comes after.
DEFAULT_ARCHS = ["sm_75", "sm_86", "sm_90", "compute_75", "compute_90"]

def parse_archs(label, archs):
    """Splits a list of image names by kind.

    Args:
      label: the target, for messages.
      archs: names: sm_75 asks for SASS, compute_75 for PTX.

    Returns:
      struct(sass, ptx), two lists of architecture numbers as strings, in the given order.
    """
    sass = []
    ptx = []
    for arch in archs:
        kind, _, number = arch.partition("_")
        if not number.isdigit() or kind not in ["sm", "compute"]:
            fail("%s: archs: %r is no architecture; write sm_75 for SASS or compute_75 for PTX" % (label, arch))
        if int(number) < 75:
            fail("%s: archs: %r is older than sm_75, the oldest that CUDA 13 compiles for" % (label, arch))
        chosen = sass if kind == "sm" else ptx
        if number in chosen:
            fail("%s: archs: %r is listed twice" % (label, arch))
        chosen.append(number)
    if not sass:
        fail("%s: archs: no sm_XX among %s: the manifest's facts come from SASS" % (label, archs))
    return struct(ptx = ptx, sass = sass)
