import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import postgres from 'postgres';
import { eaas, type Environment } from '@eaas/test-kit/program';
import { blocksOf, read } from '@eaas/test-kit/markdown';
import { call, send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { newKey, operate, type Tenant, verify } from '@eaas/test-kit/faults/place';
import { installedBinaries } from '@eaas/test-kit/installed-binaries';
import type { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { startPostgres } from '../machine/postgres.ts';
import { startServer } from '../machine/server.ts';
import type { Findings, Part } from '../trial.ts';

interface Ran {
  readonly code: number;
  readonly output: string;
}

async function runBlock(block: string, cwd: string, database: OwnPostgres, env: Environment): Promise<Ran> {
  const programs = dirname(database.binaries.postgres);
  const { host } = database.connection('owner');
  const prelude = [
    'set -euo pipefail',
    'eaas() { "${EAAS_PROGRAM[@]}" "$@"; }',
    `EAAS_PROGRAM=(${eaas.map((word) => `'${word}'`).join(' ')})`,
    `for name in pg_dump pg_restore; do eval "$name() { ${programs}/$name \\"\\\${@/db.example/${host}}\\"; }"; done`,
  ];
  const script = [...prelude, block].join('\n');
  return new Promise((resolve) => {
    const options = { cwd, env: { PATH: process.env['PATH'], ...env } };
    execFile('bash', ['-c', script], options, (error, stdout, stderr) => {
      const code = error ? Number(error.code ?? 1) : 0;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}

interface Known {
  readonly tenant: Tenant;
  readonly keyId: string;
  readonly wrapped: string;
  readonly dek: string;
  readonly later: string;
  /** The wrapped key of a person who was erased after the backup. */
  readonly ofErased: string;
}

const erased = 'patient 42';

async function drill(findings: Findings): Promise<void> {
  const folder = await findings.newDirectory();
  const page = read('docs/operating/backups.md');
  const [dump = '', restore = '', compare = '', replay = '', acknowledge = ''] = blocksOf(page, 'sh');
  const lost = await startPostgres(findings);
  const { env, known } = await liveThenLose(findings, { lost, folder, dump });

  const restored = await startPostgres(findings);
  const restoredEnv: Environment = {
    ...env,
    EAAS_DATABASE_URL: restored.url('server'),
    EAAS_MIGRATE_DATABASE_URL: restored.url('owner'),
  };
  const step = async (what: string, block: string, code: number): Promise<Ran> => {
    const ran = await runBlock(block, folder, restored, restoredEnv);
    findings.try(what);
    findings.check(
      `${what} by the commands in the manual exits with code ${code}`,
      ran.code === code,
      ran.output.slice(-300),
    );
    return ran;
  };
  await step('restore', restore, 0);
  const { output } = await step('verification against a later checkpoint', compare, 1);
  findings.check(
    'verification against a later checkpoint reports checkpoint_ahead',
    output.includes('checkpoint_ahead'),
    output,
  );
  // Without a terminal, nobody can answer the question.
  await step('replay of the lost log', `${replay.trimEnd()} --yes`, 0);
  await step('acknowledgement in every log', acknowledge, 0);
  await step('verification against the new checkpoint', compareFor(compare, known.tenant), 0);

  const server = await startServer(findings, restoredEnv);
  const { token } = known.tenant;
  const path = `/v1/keys/${known.keyId}`;
  const opened = await send(server, token, 'POST', `${path}/unwrap`, { wrapped_key: known.wrapped });
  findings.answer({ [`unwrap ${opened.status}`]: 1 });
  findings.lose(opened.body['dek'] === known.dek ? 0 : 1);
  findings.check(
    'a data key from before the backup can be unwrapped',
    opened.body['dek'] === known.dek,
    opened.code,
  );
  const body = { wrapped_key: known.ofErased, subject: erased };
  const person = await send(server, token, 'POST', `${path}/unwrap`, body);
  findings.check(
    'a person who was erased after the backup stays erased',
    person.code === 'subject_erased',
    person.code,
  );
  const gone = await send(server, token, 'GET', `/v1/keys/${known.later}`);
  findings.check('a key that was created after the backup gets 404', gone.status === 404, `${gone.status}`);
  findings.check('the audit chain is valid', (await verify(server, known.tenant))['valid'] === true);
  await checkRights(findings, restored);
}

/** Replaces the name of the tenant by its id, because checkpoint files are named after the id. */
function compareFor(compare: string, { tenantId }: Tenant): string {
  return compare.replaceAll('acme', tenantId);
}

async function liveThenLose(
  findings: Findings,
  { lost, folder, dump }: { lost: OwnPostgres; folder: string; dump: string },
): Promise<{ env: Environment; known: Known }> {
  const operator = await operate(lost.url);
  const tenant = await operator.newTenant({ name: 'acme' });
  await operator.close();
  const server = await startServer(findings, operator.env);
  const keyId = await newKey(server, tenant.token);
  const dek = newDek();
  const path = `/v1/keys/${keyId}/wrap`;
  const { wrapped_key } = await call<{ wrapped_key: string }>(server, tenant.token, 'POST', path, { dek });
  const own = { dek: newDek(), subject: erased };
  const ofErased = await call<{ wrapped_key: string }>(server, tenant.token, 'POST', path, own);
  const dumped = await runBlock(dump, folder, lost, operator.env);
  findings.try('backup');
  findings.check(
    'backup by the commands in the manual exits with code 0',
    dumped.code === 0,
    dumped.output.slice(-300),
  );
  const later = await newKey(server, tenant.token);
  await call(server, tenant.token, 'POST', '/v1/subjects/erase', { subject: erased });
  for (const keep of [
    'checkpoint --tenant acme > acme.checkpoint',
    'export --tenant acme --out acme.ndjson',
  ]) {
    await runBlock(`eaas audit ${keep}`, folder, lost, operator.env);
  }
  await server.kill();
  await lost.crash();
  return {
    env: operator.env,
    known: { tenant, keyId, wrapped: wrapped_key, dek, later, ofErased: ofErased.wrapped_key },
  };
}

async function checkRights(findings: Findings, database: OwnPostgres): Promise<void> {
  const sql = postgres({ ...database.connection('server'), max: 1 });
  findings.defer(() => sql.end({ timeout: 1 }));
  for (const statement of ['delete from eaas.audit_entries', 'truncate eaas.audit_entries']) {
    const allowed = await sql.unsafe(statement).then(
      () => true,
      () => false,
    );
    findings.check("the server's role may neither delete nor truncate entries", !allowed, statement);
  }
}

/** Of the same version as the server, which may be the embedded one, which has no such programs. */
export async function withoutPgDump(): Promise<string | undefined> {
  const found = await installedBinaries(process.env['PATH'] ?? '');
  return access(join(dirname(found?.postgres ?? ''), 'pg_dump')).then(
    () => undefined,
    () => 'PostgreSQL with pg_dump is not installed',
  );
}

export const restore: Part = {
  name: 'restore',
  about: "a backup is restored with the commands of the operator's manual, as they are printed",
  unavailable: withoutPgDump,
  trials: [
    {
      name: 'drill',
      about: 'dump, lose, restore, verify, replay, acknowledge, serve',
      limit: 280,
      run: drill,
    },
  ],
};
