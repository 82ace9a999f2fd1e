#!/bin/sh
# Does what the entrypoint of the official image does with POSTGRES_PASSWORD and /docker-entrypoint-initdb.d.
set -eu
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /var/run/postgresql
  chown postgres "$PGDATA" /var/run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if ! [ -s "$PGDATA/PG_VERSION" ]; then
  printf %s "${POSTGRES_PASSWORD:?}" > /tmp/password
  initdb --username=postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl start -w -o '-c listen_addresses='
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql -v ON_ERROR_STOP=1 --no-psqlrc --username=postgres --file="$file"
  done
  pg_ctl stop -w -m fast
fi
exec "$@" -c listen_addresses='*'
