#!/bin/bash
# podman for podman-compose, whose option --requires keeps podman 4 from starting a container alone.
args=()
for arg; do [[ $arg == --requires=* ]] || args+=("$arg"); done
exec /usr/bin/podman "${args[@]}"
