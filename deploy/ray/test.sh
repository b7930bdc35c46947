#!/bin/sh
# The tests with a real Ray on this computer, in an environment of their own. Arguments go to pytest.
# They need the embedded models and the recorded speech that `make test` installs; without them they fail.
set -eu
cd "$(dirname "$0")/../.."
if [ -z "${LOBUG_RAY_VENV:-}" ]; then
    sh scripts/bootstrap.sh ray
    .venv-ray/bin/python -m pip --disable-pip-version-check install --quiet --require-hashes \
        --only-binary :all: -r requirements-dev.txt
    sh scripts/system-packages.sh
    .venv-ray/bin/lobug models pull whisper-base
fi
exec sh deploy/ray/run.sh python -m pytest -c deploy/ray/pytest.ini deploy/ray/tests "$@"
