// The database of a server with all that it stores, and what its clients have made: values, exports and evidence.
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { evidence } from '@eaas/audit';
import { EaasClient } from '@eaas/sdk';
import { createIntake } from '@eaas/sdk/intake';
import { encryptBlob } from '@eaas/sdk/stream';
import { alone } from '@eaas/test-kit/alone';
import { createDatabase, environmentOf, withAdmin } from '@eaas/test-kit/database';
import { installedBinaries } from '@eaas/test-kit/installed-binaries';
import { eaas, run, serve } from '@eaas/test-kit/program';
import { openPool } from '@eaas/test-kit/server';
import { newSignIn } from '@eaas/test-kit/sign-in';
import { apiOf, settle } from '@eaas/test-kit/world';
import { settleDueKeys } from '../../packages/server/src/jobs/due-keys.ts';
import { purge } from '../../packages/server/src/jobs/purge.ts';
import { ownLog } from '../../packages/log/test/own-log.ts';

/** Bytes are base64. */
export interface KeptServer {
  readonly rootKey: string;
  readonly token: string;
  readonly keyId: string;
  /** The values under each kind of key, and of people, with the id of the key. */
  readonly values: Readonly<Record<string, readonly [keyId: string, value: string]>>;
  readonly stream: string;
  readonly policy: string;
  readonly checkpoint: string;
  readonly verifierKey: string;
  /** The files of evidence: of all entries, and of those of one key. */
  readonly whole: Readonly<Record<string, string>>;
  readonly partial: Readonly<Record<string, string>>;
  readonly exported: object;
  readonly privateKey: string;
  /** The members of what commands print, by the words of the command. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

const dump = 'server.sql';
const day = 86_400_000;
/** Undoes what the kit did to the database: it set the clock, and disabled the triggers. */
const asMade = `
  create or replace function eaas.now_ms() returns bigint language sql volatile
    return (extract(epoch from clock_timestamp()) * 1000)::bigint;
  do $$ declare own record; begin
    for own in select tgrelid::regclass as of, tgname from pg_trigger where not tgisinternal loop
      execute format('alter table %s enable always trigger %I', own.of, own.tgname);
    end loop;
  end $$`;

/** Lives some months with a service and its public log, and writes all of it to a folder. */
export async function keepServer(folder: string): Promise<KeptServer> {
  const root = randomBytes(32);
  const log = await ownLog(Uint8Array.from(root), '2026-01-01T00:00:00Z');
  const { world, service } = log;
  const [acme] = [await settle(service, 'acme'), await settle(service, 'other', { envelope_only: true })];
  const api = apiOf(service, acme.token);
  const baseUrl = await world.serve(log.withLog);
  const keyOf = async (name: string, more: object = {}) =>
    (await api('POST /v1/keys', { name, ...more })).key_id;
  const clientOf = (keyId: string) => new EaasClient({ baseUrl, apiKey: acme.token, keyId });
  const keyId = await keyOf('first', { exportable: true });
  const values: Record<string, [string, string]> = {};
  const encrypt = async (name: string, own: string, more: object = {}) => {
    values[name] = [own, await clientOf(own).encrypt(name, { context: { name }, ...more })];
  };

  await encrypt('an old version', keyId);
  world.time += 90 * day;
  await purge(service, 1, alone());
  await api('POST /v1/keys/:key_id/rotate', { key_id: keyId });
  await encrypt('a new version', keyId);
  for (const subject of ['p-1', 'p-2']) await encrypt(subject, keyId, { subject });
  await api('POST /v1/subjects/erase', { subject: 'p-2' });
  const [disabled, destroyed] = [await keyOf('disabled'), await keyOf('destroyed')];
  await encrypt('disabled', disabled);
  await encrypt('destroyed', destroyed);
  for (const key_id of [disabled, destroyed]) await api('POST /v1/keys/:key_id/disable', { key_id });
  await api('DELETE /v1/keys/:key_id', { key_id: destroyed, grace_days: 7 });
  const intake = await keyOf('intake', { intake: true });
  const publicKey = (await clientOf(intake).publicKey(intake)).intake_public_key ?? '';
  values['intake'] = [
    intake,
    await createIntake({ publicKey }).encrypt('intake', { context: { name: 'intake' } }),
  ];
  const { issuer, audience, jwk } = newSignIn();
  const permissions = ['decrypt'] as const;
  await api('POST /v1/issuers', {
    name: 'sign-in',
    kind: 'people',
    issuer,
    audience,
    jwks: { keys: [jwk] },
    permissions,
  } as never);
  const stream = await encryptBlob(clientOf(keyId), new Blob(['a stream']));

  world.time += 8 * day;
  await settleDueKeys(service, alone());
  await log.later();
  await log.witnessed();

  const client = clientOf(keyId);
  const { publicKey: rsa, privateKey } = generateKeyPairSync('rsa', { modulusLength: 3_072 });
  const { kty, n = '', e = '' } = rsa.export({ format: 'jwk' });
  const exported = await client.keys.export(keyId, {
    public_key: { kty: kty as 'RSA', n, e },
    subjects: true,
  });
  const { checkpoint, verifier_key: verifierKey } = await client.audit.checkpoint();
  const filesOf = async (options: object) => {
    const files: Record<string, string> = {};
    for await (const { name, text } of evidence(client, options)) files[name] = (files[name] ?? '') + text;
    return files;
  };
  const kept = {
    rootKey: root.toString('base64'),
    token: acme.token,
    keyId,
    values,
    stream: Buffer.from(await new Response(stream.stream).arrayBuffer()).toString('base64'),
    policy: log.policyText,
    checkpoint,
    verifierKey,
    whole: await filesOf({}),
    partial: await filesOf({ keyId }),
    exported,
    privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }) as string,
  };
  await withAdmin(world.database.connection('superuser'), (sql) => sql.unsafe(asMade), world.database.name);
  writeFileSync(join(folder, dump), await dumpOf(world.database));
  return { ...kept, members: await membersOf(await restore(folder, kept)) };
}

async function dumpOf({ name, connection }: Awaited<ReturnType<typeof createDatabase>>): Promise<string> {
  const { host, port, username } = connection('superuser');
  const binaries = await installedBinaries(process.env['PATH'] ?? '');
  const program = join(dirname(binaries?.postgres ?? ''), 'pg_dump');
  const options = ['--schema=eaas', '--inserts', '--no-owner', '--no-privileges', '--no-comments'];
  const args = ['-h', host, '-p', String(port), '-U', username, ...options, name];
  const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 2 ** 26 });
  // Of psql, not SQL.
  return stdout.replaceAll(/^\\.*\n/gm, '');
}

/** A database of this version that was restored from the dump, and the variables for commands on it. */
export async function restore(folder: string, { rootKey: key }: Pick<KeptServer, 'rootKey'>) {
  const database = await createDatabase();
  const env = { ...environmentOf(database.url), EAAS_ROOT_KEY: key };
  const owner = openPool(database.connection('owner'), 1);
  await owner.unsafe(readFileSync(join(folder, dump), 'utf8'));
  await owner.end();
  const { code, stderr } = await run([...eaas, 'migrate'], env);
  if (code !== 0) throw new Error(`the kept database could not be migrated: ${stderr}`);
  return { env, serve: () => serve(env) };
}

const commands = ['doctor', 'tenant list', 'tenant show acme', 'log status', 'audit verify'].concat(
  ['key list', 'key show first', 'api-key list', 'issuer list', 'audit checkpoint'].map(
    (command) => `${command} --tenant acme`,
  ),
);

/** What commands print as JSON on a database: the paths to all members. */
export async function membersOf({ env }: Pick<Awaited<ReturnType<typeof restore>>, 'env'>) {
  const all: Record<string, string[]> = {};
  for (const command of commands) {
    const { stdout, stderr } = await run([...eaas, ...command.split(' '), '--json'], env);
    const paths = stdout.split('\n').flatMap((line) => (line ? pathsIn(JSON.parse(line)) : []));
    if (paths.length === 0) throw new Error(`eaas ${command} printed nothing: ${stderr}`);
    all[command] = [...new Set(paths)];
  }
  return all;
}

export function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, each]) => pathsIn(each, `${path}.${name}`));
}
