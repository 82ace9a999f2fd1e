const fresh = 'needs root and Podman: test/self-host/debian.slow.test.ts types it in a fresh Debian';

/** What shell.slow.test.ts does not run, and the reason: a page, or the first lines of some of its command blocks. */
export const blocksNotRun: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  'docs/evidence.md': {
    'npx --no-install @eaas/cli audit evidence --tenant acme --from 2026-07-01 --to 2026-09-30 --out acme-q3':
      'it needs entries of these days',
  },
  'docs/data-team.md':
    'api-keys.service.test.ts and issuers.service.test.ts of the CLI, and open.slow.test.ts of migrate, run such commands',
  'README.md':
    'quick-start.slow.test.ts follows its first part, and first-field.slow.test.ts types the rest in a clone',
  'docs/operating/alarms.md': 'alarms.slow.test.ts runs it',
  'docs/operating/production.md': {
    'apt-get update && apt-get install --yes postgresql caddy jq curl': fresh,
    'mkdir -p -m 700 /etc/eaas && mkdir -p /opt/eaas && cd /opt/eaas && npm install /tmp/eaas-*.tgz': fresh,
    'export OWNER_PASSWORD=$(openssl rand -hex 24) SERVER_PASSWORD=$(openssl rand -hex 24)': fresh,
    "cat > /etc/systemd/system/eaas.service <<'END'": fresh,
    "cat > /etc/caddy/Caddyfile <<'END'": fresh,
    'eaas doctor': fresh,
    'export EAAS_BASE_URL=https://eaas.example EAAS_KEY_ID=00000000-0000-4000-8000-000000000000 EAAS_API_KEY=eaas_sk_…':
      fresh,
  },
  'docs/operating/kubernetes.md':
    'needs a cluster: kubernetes.test.ts compares the manifest with the program',
  'docs/operating/observability.md': 'packages/server/test/observability/operating.slow.test.ts runs it',
  'docs/operating/high-availability.md': 'needs three nodes',
  'docs/releasing.md': {
    'for tarball in eaas-*.tgz; do npm publish --ignore-scripts --access public "./$tarball"; done':
      'it publishes to npm',
    'for name in $(ls packages); do': 'it changes the registry',
    'npm run release:check': 'it only runs test/packaging',
    'npm deprecate @eaas/sdk@1.2.3 "Broken tarball: use 1.2.4"': 'it changes the registry',
  },
  'packages/cli/README.md': 'test/packaging starts it',
  'packages/files/README.md': 'packages/files/test/readme.slow.test.ts types it',
  'packages/local/README.md': {
    'npm init -y && npm install /tmp/eaas-*.tgz': 'quick-start.slow.test.ts types it on pages of docs/start',
    'cp ../eaas/examples/local-kms/aws.* .': 'local-kms.slow.test.ts types it, with the code after it',
    'export EAAS_LOCAL_NEW_KMS_COMMAND="$PWD/aws.sh"': 'local-kms.slow.test.ts types it',
    "import { open } from './aws.mjs';": 'local-kms.slow.test.ts runs it',
    'npx --no-install @eaas/local lock .eaas/local.json':
      'asks for a passphrase: packages/local/test/lock.slow.test.ts answers',
    'npx --no-install @eaas/cli import .eaas/local.json --tenant acme # without a file: the variable EAAS_LOCAL':
      'needs a key file: packages/cli/test/import.slow.test.ts has one',
  },
  'packages/log/README.md': 'packages/cli/test/log.service.test.ts runs it',
  'packages/migrate/docs/adopt.md': 'packages/migrate/test/adopt.slow.test.ts runs it on four apps',
  'packages/migrate/docs/leave.md': 'packages/migrate/test/leave.service.test.ts runs it',
  'packages/migrate/docs/open.md': 'packages/migrate/test/open.slow.test.ts runs it',
  'packages/sdk/docs/audit.md': 'pages.slow.test.ts runs it',
  'packages/sdk/docs/sign-in.md': 'sign-in.slow.test.ts runs it',
  'packages/sdk/docs/fields.md': 'pages.slow.test.ts runs it',
  'packages/sdk/README.md': 'test/packaging installs the tarballs',
  'docs/operating/start.md':
    'first-field.slow.test.ts types what README.md has too; test/packaging installs the tarballs and runs `eaas dev`',
  'docs/operating/backups.md': {
    'pg_dump -Fc "$EAAS_MIGRATE_DATABASE_URL" > eaas.dump':
      'needs PostgreSQL’s programs: `npm run prove` runs it',
    'pg_restore -h db.example -U postgres --exit-on-error --dbname eaas eaas.dump':
      'needs PostgreSQL’s programs: `npm run prove` runs it',
    'psql "$EAAS_MIGRATE_DATABASE_URL" -c \'vacuum full\'':
      'needs PostgreSQL’s programs: least-privilege.slow.test.ts runs the statement',
  },
  'docs/operating/upgrade.md': 'its commands are those of production.md',
  'docs/operating/runbook.md': {
    'curl -s http://127.0.0.1:8080/readyz':
      'needs the server on port 8080: packages/server/src/http/pages.test.ts',
  },
};
