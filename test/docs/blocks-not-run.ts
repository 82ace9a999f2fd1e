const fresh = 'test/self-host/debian.slow.test.ts types it in a fresh Debian';

/** The command blocks that shell.slow.test.ts does not run: the first line of each block, and the reason. */
export const blocksNotRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npm start': 'first-field.slow.test.ts types it in a fresh clone',
    'npm ci && npm test': 'CI runs it',
    'node --env-file=.env examples/encrypt-a-field/index.mjs': 'first-field.slow.test.ts types it',
  },
  'docs/operating/alarms.md': {
    'cd examples/observability': 'alarms.slow.test.ts runs it',
    'promtool check rules alerts.yml': 'alarms.slow.test.ts runs it',
  },
  'docs/operating/production.md': {
    'apt-get update && apt-get install --yes postgresql caddy jq curl': fresh,
    'mkdir -p -m 700 /etc/eaas && mkdir -p /opt/eaas && cd /opt/eaas && npm install /tmp/eaas-*.tgz': fresh,
    'export OWNER_PASSWORD=$(openssl rand -hex 24) SERVER_PASSWORD=$(openssl rand -hex 24)': fresh,
    "cat > /etc/systemd/system/eaas.service <<'END'": fresh,
    "cat > /etc/caddy/Caddyfile <<'END'": fresh,
    'npx --no-install @eaas/cli doctor': fresh,
    'export EAAS_BASE_URL=https://eaas.example EAAS_KEY_ID=00000000-0000-4000-8000-000000000000 EAAS_API_KEY=eaas_sk_…':
      fresh,
  },
  'docs/operating/observability.md': {
    'npm install @opentelemetry/api @opentelemetry/sdk-node': 'test/packaging installs the tarballs',
    'export OTEL_SERVICE_NAME=eaas': 'packages/server/test/observability/operating.slow.test.ts runs it',
    'npx --no-install @eaas/cli audit follow --state audit.state >> audit.ndjson':
      'packages/server/test/observability/operating.slow.test.ts runs it',
    'npx --no-install @eaas/cli audit follow --state logger.state | logger --tag eaas --priority auth.info --size 64KiB':
      'packages/server/test/observability/operating.slow.test.ts runs it',
    'npx --no-install @eaas/cli audit checkpoint --tenant acme > acme.checkpoint':
      'packages/server/test/observability/operating.slow.test.ts runs it',
    'tenant_id=$(npx --no-install @eaas/cli tenant show acme --json | jq -r .tenant_id)':
      'packages/server/test/observability/operating.slow.test.ts runs it',
  },
  'docs/operating/high-availability.md': {
    "sed -e 's/@NAME@/db1/g' -e 's/@ADDRESS@/10.0.0.11/g' etcd.env > /etc/default/etcd": 'needs three nodes',
    'patronictl -c /etc/patroni/config.yml list': 'needs three nodes',
    'psql -h 127.0.0.1 -p 5000 -U postgres': 'needs three nodes',
    'export EAAS_MIGRATE_DATABASE_URL=postgres://eaas_owner:choose-one@127.0.0.1:5000/eaas':
      'needs three nodes',
    "export EAAS_DATABASE_URL='postgres://eaas_server:choose-another@127.0.0.1:6432/eaas?prepare=false'":
      'needs three nodes',
    'patronictl -c /etc/patroni/config.yml switchover eaas --force': 'needs three nodes',
    'patronictl -c /etc/patroni/config.yml reinit eaas db1 --force': 'needs three nodes',
  },
  'docs/releasing.md': {
    'for tarball in eaas-*.tgz; do npm publish --ignore-scripts --access public "./$tarball"; done':
      'it publishes to npm',
    'for name in $(ls packages); do': 'it changes the registry',
    'npm run release:check': 'it only runs test/packaging',
    'npm deprecate @eaas/sdk@1.2.3 "Broken tarball: use 1.2.4"': 'it changes the registry',
  },
  'packages/server/README.md': {
    'npx --no-install @eaas/cli dev': 'first-field.slow.test.ts starts it',
  },
  'packages/protocol/README.md': {
    'npm install /tmp/eaas-*.tgz': 'test/packaging installs the tarballs',
  },
  'packages/sdk/docs/audit.md': {
    "npx --no-install @eaas/cli audit verify-file acme.ndjson --checkpoint-file acme.checkpoint --verifier-key 'eaas/…+…+…'":
      'written-log.slow.test.ts runs it',
  },
  'packages/sdk/docs/sign-in.md': {
    'export EAAS_ISSUER_HOSTS=sign-in.example # also for the servers': 'sign-in.slow.test.ts runs it',
    'npx --no-install @eaas/cli issuer add --tenant acme --name staff --permissions decrypt --key-ids "$EAAS_KEY_ID" \\':
      'sign-in.slow.test.ts runs it',
    'npx --no-install @eaas/cli issuer add --tenant acme --name shop --kind workload --permissions encrypt,decrypt \\':
      'sign-in.slow.test.ts runs it',
    'npx --no-install @eaas/cli issuer add --tenant acme --permissions encrypt,decrypt --key-ids "$EAAS_KEY_ID" \\':
      'sign-in.slow.test.ts runs it',
  },
  'packages/sdk/docs/fields.md': {
    'node --env-file=.env --input-type=module -e "': 'index-key-command.slow.test.ts runs it',
  },
  'packages/sdk/README.md': {
    'npm install /tmp/eaas-*.tgz': 'test/packaging installs the tarballs',
  },
  'docs/operating/start.md': {
    'npm ci && npm start': 'first-field.slow.test.ts types both commands',
    'npm install /tmp/eaas-*.tgz': 'test/packaging installs the tarballs',
    'npx --no-install @eaas/cli audit follow --tenant dev --once':
      'needs the server of `npm start`: first-field.slow.test.ts',
  },
  'docs/operating/backups.md': {
    'pg_dump -Fc "$EAAS_MIGRATE_DATABASE_URL" > eaas.dump':
      'needs PostgreSQL’s programs: `npm run prove` runs it',
    'pg_restore -h db.example -U postgres --exit-on-error --dbname eaas eaas.dump':
      'needs PostgreSQL’s programs: `npm run prove` runs it',
    'psql "$EAAS_MIGRATE_DATABASE_URL" -c \'vacuum full\'': 'needs PostgreSQL’s programs',
  },
  'docs/operating/upgrade.md': {
    'cd /opt/eaas && npm install /tmp/eaas-*.tgz': 'its commands are those of production.md',
  },
  'docs/operating/runbook.md': {
    'curl -s http://127.0.0.1:8080/readyz':
      'needs the server on port 8080: packages/server/src/http/pages.test.ts',
  },
};
