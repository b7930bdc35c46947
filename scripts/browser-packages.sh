#!/bin/sh
# The browser in which what a web page may do is tried, from the system's packages (about 120 MB to
# fetch, 400 MB on the disk). Silent when there is one. Installs it as root on Debian; elsewhere says
# what to type and exits with 1.
set -eu

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done

if ! command -v apt-get >/dev/null 2>&1; then
    echo "What needs a browser is left out: install Chromium (macOS: brew install --cask chromium)."
    exit 1
fi
install="apt-get install -y --no-install-recommends chromium"
if [ "$(id -u)" != 0 ]; then
    echo "What needs a browser is left out. To have it, type this once:"
    echo "sudo $install"
    exit 1
fi

DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing the browser: chromium"
if ! $install >"$log" 2>&1; then
    # No package lists yet, or old ones.
    if ! { apt-get update && $install; } >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo "The browser could not be installed (see above)."
        exit 1
    fi
fi
