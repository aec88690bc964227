#!/usr/bin/env bash
# Builds the images of the Flex Template and writes its specification to a bucket.
#
#   deploy/dataflow/publish.sh REPOSITORY LAUNCHER gs://BUCKET/templates/winnow.json
#
# REPOSITORY is where the images go, LAUNCHER is Google's base image for Python launchers.
set -euo pipefail
repository=${1:?a repository for the images}
launcher=${2:?the base image of the launcher}
specification=${3:?where the specification goes, gs://...}
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

docker build -f deploy/Dockerfile --target dataflow-worker -t "$repository/winnow-dataflow-worker:$version" .
docker build -f deploy/Dockerfile --target dataflow-launcher --build-arg "LAUNCHER=$launcher" \
  -t "$repository/winnow-dataflow-launcher:$version" .
docker push "$repository/winnow-dataflow-worker:$version"
docker push "$repository/winnow-dataflow-launcher:$version"
gcloud dataflow flex-template build "$specification" \
  --image "$repository/winnow-dataflow-launcher:$version" \
  --sdk-language PYTHON \
  --metadata-file deploy/dataflow/metadata.json
