#!/bin/bash
# The command `docker` by podman and podman-compose, as far as the README of examples/self-host needs it.
[ "$1" = compose ] || exec podman "$@"
command=$2
shift 2

compose() { podman-compose --no-ansi --in-pod=false "$@"; }
# Without systemd, podman runs no health checks by itself.
healthy() {
  for _ in {1..120}; do
    podman healthcheck run "eaas_$1_1" > /dev/null 2>&1 && return
    sleep 1
  done
  podman logs --tail 20 "eaas_$1_1"
  false
}

case "$command $*" in
  'up -d')
    compose up -d db && healthy db && compose up -d
    ;;
  'up -d --no-deps --wait '*)
    # podman-compose itself replaces a container only with all that depend on it.
    podman stop "eaas_$4_1" && podman rm "eaas_$4_1" && compose up -d --no-deps "$4" && healthy "$4"
    ;;
  'ps '*)
    healthy server-a && healthy server-b && podman ps "$@"
    ;;
  'run '*)
    compose --profile operator run -T "$@"
    ;;
  *)
    compose "$command" "$@"
    ;;
esac
