#!/bin/sh
# Put the add-on together: usage: addon/assemble.sh TARGET
#
# The Supervisor builds an add-on from its own folder alone, so the server's sources are copied into
# it. TARGET is for the folder `addons` of Home Assistant, and must not exist.
set -eu

target=${1:?usage: addon/assemble.sh TARGET}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
if [ -e "$target" ]; then
    echo "$target exists already." >&2
    exit 1
fi
mkdir -p "$target/source"
cp -R "$here/config.yaml" "$here/Dockerfile" "$here/DOCS.md" "$here/run.py" "$here/translations" "$target/"
for part in requirements.txt pyproject.toml README.md LICENSE NOTICE server; do
    cp -R "$root/$part" "$target/source/"
done
find "$target" -name __pycache__ -type d -prune -exec rm -rf {} +
