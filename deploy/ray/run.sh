#!/bin/sh
# Runs a command in the environment for Ray, which is made first (.venv-ray). docs/ray.md has examples.
#
# sh deploy/ray/run.sh                       serve on this computer what serve.yaml says
# sh deploy/ray/run.sh ray start --head ...  any other command
#
# LOBUG_RAY_VENV names another place for an environment that is already there.
set -eu
cd "$(dirname "$0")/../.."
venv=${LOBUG_RAY_VENV:-}
if [ -z "$venv" ]; then
    sh scripts/bootstrap.sh ray
    venv=$(pwd)/.venv-ray
fi
PATH=$venv/bin:$PATH
PYTHONPATH=$(pwd)/server:$(pwd)/deploy/ray
RAY_USAGE_STATS_ENABLED=0 # Ray reports its use to its makers otherwise
export PATH PYTHONPATH RAY_USAGE_STATS_ENABLED
[ $# -gt 0 ] || set -- python -m lobug_ray
exec "$@"
