#!/bin/sh
# Makes .venv hold exactly what a lock says. Usage: scripts/bootstrap.sh run|dev|ray
#
# run: what the server needs (requirements.txt); dev: that and the tools (requirements-dev.txt);
# ray: what the server and Ray Serve need (deploy/ray/requirements.txt), in .venv-ray.
# A stamp inside .venv says for which lock and which Python it was finished; while it stands, this
# returns at once and asks the network nothing. It is removed before anything is changed and
# written last, so an interrupted installation never counts as one.
set -eu

kind=${1:-run}
venv=.venv
case $kind in
run) lock=requirements.txt ;;
dev) lock=requirements-dev.txt ;;
ray)
    lock=deploy/ray/requirements.txt
    venv=.venv-ray
    ;;
*)
    echo "usage: scripts/bootstrap.sh run|dev|ray" >&2
    exit 2
    ;;
esac
cd "$(dirname "$0")/.."

# The version of an interpreter that Lo-Bug runs on; fails for any other, and for none.
version_of() {
    "$1" -c '
import sys
if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(1)
print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null
}

# Debian and Ubuntu have Python without venv; and memory needs an SQLite that loads extensions,
# which the lock brings as a wheel where there is one.
complete() {
    "$1" -c '
import platform, sqlite3, sys, ensurepip, venv
wheel = (sys.platform, platform.machine()) in (("linux", "x86_64"), ("darwin", "arm64"))
sys.exit(not (wheel or hasattr(sqlite3.Connection, "enable_load_extension")))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        if ! version_of "$PYTHON" >/dev/null; then
            echo "lobug: PYTHON=$PYTHON is not a Python 3.11, 3.12 or 3.13." >&2
            return 1
        fi
        echo "$PYTHON"
        return
    fi
    incomplete=
    for candidate in python3 python3.13 python3.12 python3.11 python; do
        version_of "$candidate" >/dev/null || continue
        if complete "$candidate"; then
            echo "$candidate"
            return
        fi
        incomplete=${incomplete:-$candidate}
    done
    if [ -n "$incomplete" ]; then
        echo "$incomplete"
        return
    fi
    echo "lobug: Python 3.11, 3.12 or 3.13 is needed and none was found." >&2
    echo "Install one (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install" \
        "python@3.13) or name it: make PYTHON=/path/to/python3 ..." >&2
    return 1
}

# What the environment was made from and for: another checkout, Python or lock makes it stale.
key_for() {
    {
        pwd
        "$venv/bin/python" -c 'import sys; print(sys.version, sys.base_prefix)'
        cat "$1" pyproject.toml
    } | cksum
}

stamp=$venv/.lobug-$kind-stamp
if [ -n "${PYTHON:-}" ] && [ -x "$venv/bin/python" ]; then
    wanted=$(version_of "$PYTHON" || true)
    if [ -z "$wanted" ]; then
        find_python
        exit 1
    fi
    if [ "$wanted" != "$(version_of "$venv/bin/python" || true)" ]; then
        rm -rf "$venv"
    fi
fi
if [ -f "$stamp" ] && version_of "$venv/bin/python" >/dev/null &&
    [ "$(cat "$stamp")" = "$(key_for "$lock")" ]; then
    exit 0
fi

rm -f "$venv"/.lobug-*-stamp
# A broken environment (its Python was removed, or another checkout's) is made anew; a sound one,
# or one that an interruption left half filled, is only brought up to date.
if ! version_of "$venv/bin/python" >/dev/null || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1 ||
    [ "$(cat "$venv/.lobug-place" 2>/dev/null || true)" != "$(pwd)" ]; then
    python=$(find_python)
    echo "Making $venv with Python $(version_of "$python")"
    rm -rf "$venv"
    if ! "$python" -m venv "$venv"; then
        rm -rf "$venv"
        echo "lobug: $python cannot make a virtual environment." >&2
        echo "On Debian or Ubuntu: apt install python3-venv. Elsewhere name another Python:" \
            "make PYTHON=/path/to/python3 ..." >&2
        exit 1
    fi
    pwd >"$venv/.lobug-place"
fi

pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check --no-input "$@"
}

# pip itself first, and by its hash: what it then installs is checked by the pip of the lock.
awk '/^[^ #]/ { wanted = /^pip==/ } wanted' "$lock" >"$venv/.lobug-pip.txt"
failed="lobug: the installation did not finish; run the same command again when the cause above"
failed="$failed is gone. (No network? Another index: set PIP_INDEX_URL.)"
pip install --quiet --require-hashes -r "$venv/.lobug-pip.txt" || {
    echo "$failed" >&2
    exit 1
}
echo "Installing the packages of $lock"
pip install --require-hashes --only-binary :all: -r "$lock" || {
    echo "$failed" >&2
    exit 1
}
pip install --quiet --no-deps --no-build-isolation --no-index -e . || {
    echo "$failed" >&2
    exit 1
}

# The one thing no package brings on Linux: OpenMP, for the embedded chat model.
has_openmp() {
    [ "$(uname -s)" != Linux ] ||
        "$venv/bin/python" -c 'import ctypes; ctypes.CDLL("libgomp.so.1")' 2>/dev/null
}
if ! has_openmp; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "Installing the system library libgomp1, which the embedded chat model needs"
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libgomp1 >/dev/null 2>&1 ||
            { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libgomp1; }
    fi
    if ! has_openmp; then
        echo "lobug: the embedded chat model needs the system library libgomp. Type this once," >&2
        echo "then run the same command again:" >&2
        echo "sudo apt-get install -y libgomp1    (Fedora: sudo dnf install -y libgomp)" >&2
        exit 1
    fi
fi

# The other locks hold all of this one, in the same versions.
key_for requirements.txt >"$venv/.lobug-new-stamp"
if [ "$kind" != run ]; then
    key_for "$lock" >"$stamp.new"
    mv "$stamp.new" "$stamp"
fi
mv "$venv/.lobug-new-stamp" "$venv/.lobug-run-stamp"
