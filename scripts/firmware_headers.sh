#!/bin/sh
# firmware/src against the real headers of the libraries that platformio.ini pins:
#
#   scripts/firmware_headers.sh DIR
#
# scripts/firmware_headers.py says what has to be in DIR, and what is looked at.
set -eu
here=$(dirname "$0")
python="$here/../.venv/bin/python"
[ -x "$python" ] || python=python3
exec "$python" "$here/firmware_headers.py" "$@"
