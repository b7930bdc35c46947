# Lo-Bug without its models: they are fetched into the volume /models at the first start.
# By the digest of its index, for amd64 and arm64; docs/operations.md says how it is renewed.
FROM python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

# The embedded chat model's runtime needs OpenMP from the system.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore

# Lo-Bug sets these by itself; here they hold for whatever else is run in the container as well.
ENV ORT_DISABLE_TELEMETRY=1 \
    HF_HUB_OFFLINE=1 \
    HF_HUB_DISABLE_TELEMETRY=1 \
    OTEL_SDK_DISABLED=true \
    DO_NOT_TRACK=1

# Dependencies first: they change more rarely than the program. pip itself by its hash as well.
# LOCK=requirements-postgres.txt brings the driver of PostgreSQL as well.
ARG LOCK=requirements.txt
COPY requirements.txt requirements-postgres.txt ./
RUN awk '/^[^ #]/ { wanted = /^pip==/ } wanted' requirements.txt > pip.txt \
    && pip install --require-hashes -r pip.txt \
    && pip install --require-hashes --only-binary :all: -r "$LOCK"

COPY pyproject.toml README.md LICENSE NOTICE ./
COPY server ./server
RUN pip install --no-deps --no-build-isolation --no-index .

# A fixed number, so that a folder mounted from the host can be given to it (chown 10001).
RUN useradd --uid 10001 --user-group --create-home lobug \
    && install -d -o lobug -g lobug /data /models
USER 10001:10001

ENV LOBUG_HOST=0.0.0.0 \
    LOBUG_PORT=8321 \
    LOBUG_TLS__PORT=8322 \
    LOBUG_DATA_DIR=/data \
    LOBUG_MODELS_DIR=/models
VOLUME ["/data", "/models"]
EXPOSE 8321 8322

# The first start fetches 1.3 GB before it listens.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30m --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['LOBUG_PORT'] + '/health', timeout=4)"]

CMD ["sh", "-c", "lobug models pull && exec lobug serve"]
