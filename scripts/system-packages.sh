#!/bin/sh
# Real recorded speech for the tests and the bench, from the system's packages: none of it is in
# this repository. Silent when it is there. Installs it as root on Debian and Ubuntu; elsewhere says what to type
# and exits with 1.
set -eu

packages="asterisk-core-sounds-en-g722 asterisk-core-sounds-en pocketsphinx-testdata alsa-utils"
texts=/usr/share/doc/asterisk-core-sounds-en

present() {
    [ -f /usr/share/asterisk/sounds/en_US_f_Allison/activated.g722 ] &&
        [ -f "$texts/core-sounds-en.txt.gz" ] &&
        [ -f /usr/share/pocketsphinx/test/data/cards/001.wav ] &&
        [ -f /usr/share/sounds/alsa/Front_Center.wav ]
}

if present; then
    exit 0
fi

# --reinstall and --path-include: slim container images leave out /usr/share/doc, where the texts
# of the recordings are.
install="apt-get install -y --reinstall --no-install-recommends"
install="$install -o Dpkg::Options::=--path-include=$texts/* $packages"

if ! command -v apt-get >/dev/null 2>&1; then
    echo "What needs recorded speech is left out: the recordings come from the Debian packages"
    echo "$packages, and this system has no apt-get."
    exit 1
fi
if [ "$(id -u)" != 0 ]; then
    echo "What needs recorded speech is left out. To have them, type this once:"
    echo "sudo $install"
    exit 1
fi

DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
log=$(mktemp)
trap 'rm -f "$log"' EXIT
set -f # the * is for dpkg
if ! $install >"$log" 2>&1; then
    # No package lists yet, or old ones.
    if ! { apt-get update && $install; } >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo "The recorded speech could not be installed (see above)."
        exit 1
    fi
fi
if ! present; then
    echo "The packages with recorded speech are installed but files of them are missing."
    exit 1
fi
echo "Installed recorded speech: $packages"
