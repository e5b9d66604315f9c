#!/usr/bin/env bash
# Packs all that `mutate` needs on a machine that has g++ 12 or newer with gcov and, for the audit, a CUDA toolkit with nvcc, ptxas and
# nvdisasm on PATH, but neither Go nor Bazel nor a network:
#
#   tools/mutate/pack.sh mutate.tar.gz [Z3]          Z3: the solver's program, carried too
#
# There: tar xzf mutate.tar.gz && mutate/run.sh --n 500 --seed 1 --log verdicts.jsonl -j 16 --deadline 8m30s; a second run goes
# on where the first stopped.
set -euo pipefail
out=$(realpath "$1") z3=${2:+$(realpath "$2")}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
at=$work/mutate
mkdir -p "$at/bin"
for tool in mutate kernelspec; do
  CGO_ENABLED=0 go build -trimpath -o "$at/bin/$tool" "./tools/$tool"
done
if [ -n "$z3" ]; then cp "$z3" "$at/bin/z3"; fi
# What the kernels of the trials are compiled from.
git ls-files -z 'cuda/*.cu' 'cuda/*.h' 'emu/*.h' 'emu/*.cc' 'tests/*.cu' tests/mutants/equivalent.txt tests/twins/reasons.txt | xargs -0 cp --parents -t "$at"
cat >"$at/run.sh" <<'RUN'
#!/usr/bin/env bash
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export PATH=$here/bin:$PATH MUTATE_KERNELSPEC=$here/bin/kernelspec
exec "$here/bin/mutate" --root "$here" "$@"
RUN
chmod +x "$at/run.sh"
tar czf "$out" -C "$work" mutate
