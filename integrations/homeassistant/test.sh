#!/bin/sh
# The tests of the Home Assistant integration, in an environment of their own. Arguments go to pytest.
#
# Home Assistant needs Python 3.14 or newer, Lo-Bug runs on 3.11 to 3.13: two environments. Without a
# Python 3.14 this says so and fails. HASS_PYTHON names one, HASS_VENV another place for the environment,
# LOBUG_PYTHON the Python of Lo-Bug's.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
venv=${HASS_VENV:-$root/.venv-homeassistant}

fits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 14, 2))' 2>/dev/null
}

if [ ! -e "$venv/complete" ] || ! cmp -s "$venv/complete" requirements.txt; then
    python=
    for one in ${HASS_PYTHON:-} python3.14 python3.15 python3; do
        if fits "$one"; then python=$one; break; fi
    done
    if [ -z "$python" ]; then
        echo "Home Assistant needs Python 3.14.2 or newer; HASS_PYTHON names one." >&2
        exit 1
    fi
    if [ -z "${LOBUG_PYTHON:-}" ]; then sh "$root/scripts/bootstrap.sh" dev; fi
    rm -f "$venv/complete"
    uv=$(dirname "${LOBUG_PYTHON:-$root/.venv/bin/python}")/uv
    [ -x "$venv/bin/python" ] || "$uv" venv --quiet --python "$python" "$venv"
    "$uv" pip sync --quiet --python "$venv/bin/python" --require-hashes requirements.txt
    cp requirements.txt "$venv/complete"
fi
"$venv/bin/python" -m mypy --config-file mypy.ini
exec "$venv/bin/python" -m pytest "$@"
