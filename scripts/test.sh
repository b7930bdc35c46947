#!/bin/sh
# Everything the tests need, then the tests. Arguments go to pytest.
#
# What cannot be had is left out by name, except under CI=true: there it is a failure.
#
# A file's tests stay in one process, in their order; tests/conftest.py says how many processes there
# are and which files go together. ARGS="-n 0" runs all in this one, for a debugger.
set -eu
cd "$(dirname "$0")/.."

sh scripts/bootstrap.sh dev
if ! sh scripts/system-packages.sh; then
    if [ "${CI:-}" = true ]; then
        echo "Nothing may be left out under CI." >&2
        exit 1
    fi
    LOBUG_TEST_WITHOUT_SPEECH=1
    export LOBUG_TEST_WITHOUT_SPEECH
fi
# What checks the firmware leaves itself out by name where a tool is missing.
if ! sh scripts/firmware-packages.sh && [ "${CI:-}" = true ]; then
    echo "Nothing may be left out under CI." >&2
    exit 1
fi
# So does what needs a browser.
if ! sh scripts/browser-packages.sh && [ "${CI:-}" = true ]; then
    echo "Nothing may be left out under CI." >&2
    exit 1
fi
.venv/bin/lobug models pull

# Databases and folders of the tests stand in memory where Linux has room for them there: each of
# their many transactions waits for the disk otherwise. What a killed process has written is there
# for the next one either way.
shared=/dev/shm
if [ -z "${TMPDIR:-}" ] && [ -w "$shared" ] &&
    [ "$(df -Pk "$shared" 2>/dev/null | awk 'NR == 2 { print int($4 / 1048576) }')" -ge 4 ]; then
    TMPDIR=$(mktemp -d "$shared/lobug.XXXXXX")
    chmod 711 "$TMPDIR" # a test looks at a folder of it as another user
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    trap 'exit 130' INT TERM
fi
# A test process and each of its some hundred programs would compile the same sources anew.
unset PYTHONDONTWRITEBYTECODE
.venv/bin/python -m compileall -q server tests/support

.venv/bin/python -m pytest -n auto --dist loadfile --no-loadscope-reorder \
    --durations=25 --durations-min=1 "$@"
