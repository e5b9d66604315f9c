"""The offline depot: what `bazel` would fetch from its central registry, from the Go module proxy instead.

rules_go and gazelle are Go modules, so `go mod download` brings them, checked against Go's checksum database or mirror.
The other rule sets come with Debian's Bazel. What only the module graph's metadata mentions gets an empty stub module."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from say import Stop, run, say

DEBIAN_RULES = pathlib.Path("/usr/share/bazel/rules")
DEBIAN_TOOLS = pathlib.Path("/usr/share/bazel/tools")
RULES_GO = "github.com/bazelbuild/rules_go@v0.60.0"
GAZELLE = "github.com/bazelbuild/bazel-gazelle@v0.43.0"

# Modules that rules_go or gazelle name in their MODULE.bazel and that no build of ours loads from.
STUBS = {
    "apple_support": ["1.23.1"],
    "buildozer": ["7.1.2"],
    "package_metadata": ["0.0.5"],
    "protobuf": ["3.19.6", "21.7", "29.0"],
    "zlib": ["1.3.1.bcr.3"],
}

# gazelle's MODULE.bazel uses this extension of buildozer's, so the stub has to have it.
BUILDOZER_EXTENSION = """\
def _repo_impl(rctx):
    rctx.file("BUILD.bazel", "")

_repo = repository_rule(_repo_impl)

def _extension_impl(mctx):
    _repo(name = "buildozer_binary")

buildozer_binary = module_extension(_extension_impl)
"""

# WORKSPACE mode: repository -> folder of Debian's Bazel.
WORKSPACE_REPOSITORIES = {
    "bazel_skylib": DEBIAN_TOOLS / "skylib",
    "platforms": DEBIAN_TOOLS / "platforms",
    "rules_cc": DEBIAN_RULES / "cc",
    "rules_java": DEBIAN_RULES / "java",
    "rules_license": DEBIAN_RULES / "license",
    "rules_proto": DEBIAN_RULES / "proto",
    "rules_python": DEBIAN_RULES / "python",
    "rules_shell": DEBIAN_RULES / "shell",
}


def rc_lines(cache, bazel):
    """The rc lines that this network needs: none where the central registry answers."""
    if not wanted(cache, bazel):
        return []
    depot = cache / "depot"
    make(depot)
    lines = [
        "common --registry=file://%s" % (depot / "registry"),
        "common --noenable_workspace",
        "common --override_module=rules_go=%s" % (depot / "rules_go"),
        "common --override_module=gazelle=%s" % (depot / "gazelle"),
        "common --override_module=rules_shell=%s" % (DEBIAN_RULES / "shell"),
        "common:workspace --override_repository=io_bazel_rules_go=%s" % (depot / "rules_go"),
        "common:workspace --override_repository=bazel_gazelle=%s" % (depot / "gazelle"),
        # Debian's Bazel keeps every sandbox by default.
        "build --nosandbox_debug",
    ]
    for name, path in WORKSPACE_REPOSITORIES.items():
        lines.append("common:workspace --override_repository=%s=%s" % (name, path))
    return lines


def wanted(cache, bazel):
    """Whether the depot is needed; asked of the network once, then remembered beside the cache."""
    choice = os.environ.get("WARPWRIGHT_OFFLINE", "")
    if choice in ("0", "1"):
        return choice == "1"
    answer = cache / "registry.answer"
    if not answer.exists():
        say("asking Bazel's central registry for a module")
        words = "yes" if registry_answers(bazel) else "no"
        cache.mkdir(parents=True, exist_ok=True)
        answer.write_text(words + "\n")
        if words == "no":
            say("it does not answer; remembered in %s (remove it to ask again)" % answer)
    return answer.read_text().strip() == "no"


def registry_answers(bazel):
    """Lets Bazel itself resolve one module that no Bazel has built in, so that no address need be known here."""
    with tempfile.TemporaryDirectory(prefix="bazelw-probe-") as folder:
        root = pathlib.Path(folder)
        (root / "MODULE.bazel").write_text('module(name = "probe")\nbazel_dep(name = "gazelle", version = "0.43.0")\n')
        (root / "BUILD.bazel").touch()
        try:
            probe = subprocess.run(
                [*bazel, "--batch", "--output_base=%s" % (root / "out"), "mod", "graph", "--lockfile_mode=off"],
                cwd=root,
                capture_output=True,
                timeout=120,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        # Bazel makes parts of its output base read-only.
        subprocess.run(["chmod", "-R", "u+w", str(root)], check=False)
        return probe.returncode == 0


def make(depot):
    """Fills the depot; each part is made once, and whole or not at all."""
    if not DEBIAN_RULES.exists():
        raise Stop(
            "Bazel's central registry does not answer, and %s, where Debian's Bazel keeps its rule sets, is not there; "
            "install bazel-bootstrap, or set WARPWRIGHT_OFFLINE=0 if the registry is reachable" % DEBIAN_RULES
        )
    fetch(RULES_GO, depot / "rules_go")
    fetch(GAZELLE, depot / "gazelle", vendor)
    registry = depot / "registry"
    if not registry.exists():
        say("writing stub modules to %s" % registry)
        whole(registry, write_registry)


def whole(target, fill):
    """Fills a new folder beside target, then renames it: an interrupted run leaves nothing half made."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = pathlib.Path(tempfile.mkdtemp(dir=target.parent, prefix=".%s-" % target.name))
    fill(partial, target)
    try:
        partial.rename(target)
    except OSError:
        # Another bazelw was faster; both made the same thing.
        shutil.rmtree(partial)


def fetch(module, target, then=None):
    """Puts a writable copy of a Go module at target."""
    if target.exists():
        return
    say("fetching Go module %s into %s" % (module, target))

    def fill(partial, _):
        with tempfile.TemporaryDirectory() as empty:
            text = run(["go", "mod", "download", "-json", module], "fetching %s" % module, cwd=empty)
        shutil.copytree(json.loads(text)["Dir"], partial, dirs_exist_ok=True)
        for path in [partial, *partial.rglob("*")]:
            # Module archives carry no mode bits; the rules run these scripts.
            path.chmod(0o755 if path.is_dir() or path.suffix == ".sh" else 0o644)
        if then:
            then(partial)

    whole(target, fill)


def vendor(gazelle):
    """gazelle builds a tool of its own while repositories are fetched: its imports have to lie beside it."""
    shutil.rmtree(gazelle / "tests")
    run(
        ["go", "mod", "vendor"],
        "collecting gazelle's imports",
        cwd=gazelle,
        env={**os.environ, "GOFLAGS": "-mod=mod", "GOWORK": "off"},
    )


def write_registry(folder, final):
    """Writes a module registry whose modules are empty. Its paths name the folder's final place."""
    (folder / "bazel_registry.json").write_text('{"module_base_path": "."}\n')
    for name, versions in STUBS.items():
        stub = folder / "stubs" / name
        stub.mkdir(parents=True)
        (stub / "MODULE.bazel").write_text('module(name = "%s")\n' % name)
        (stub / "BUILD.bazel").touch()
        for version in versions:
            entry = folder / "modules" / name / version
            entry.mkdir(parents=True)
            (entry / "MODULE.bazel").write_text('module(name = "%s", version = "%s")\n' % (name, version))
            source = {"type": "local_path", "path": str(final / "stubs" / name)}
            (entry / "source.json").write_text(json.dumps(source) + "\n")
    (folder / "stubs" / "buildozer" / "buildozer_binary.bzl").write_text(BUILDOZER_EXTENSION)
