#!/bin/bash
# podman for podman-compose, whose option --requires keeps podman 4 from starting a container alone.
args=()
for arg; do [[ $arg == --requires=* ]] || args+=("$arg"); done
# On a busy machine, the DNS of podman 4 does not always know a new container. Commands find the database by its address.
if [[ "$1" == run && " $* " == *' --rm '* ]]; then
  network='{{(index .NetworkSettings.Networks "eaas_default").IPAddress}}'
  address=$(/usr/bin/podman inspect -f "$network" eaas_db_1 2> /dev/null)
  [[ $address == *.* ]] && args=(run "--add-host=db:$address" "${args[@]:1}")
fi
exec /usr/bin/podman "${args[@]}"
