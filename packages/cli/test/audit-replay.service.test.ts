import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chainHash, type ChainedEntry, entryDigest } from '@eaas/protocol/audit';
import { asJson, client } from '@eaas/test-kit/api';
import { newIssuer } from '@eaas/test-kit/calls';
import { type CommandLine, commandLine, inTerminal, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { createDatabase, finishTemplate, withAdmin } from '@eaas/test-kit/database';
import { newDirectory } from '@eaas/test-kit/directory';
import { run, serve } from '@eaas/test-kit/program';
import { publicJwk } from '@eaas/test-kit/rsa';

type Entry = ChainedEntry & { readonly hash: string };
type Row = Readonly<Record<'action' | 'id' | 'name' | 'state', string | null>>;

const folder = await newDirectory();
const eaas = await commandLine();
await eaas.json('tenant', 'create', '--name', 'acme');
await eaas.json('tenant', 'set', 'acme', '--envelope-only', 'false');
const forAll = ['--tenant', 'acme', '--name', 'all', '--permissions', 'all'];
const [all] = await eaas.json<{ api_key: string }>('api-key', 'create', ...forAll);

/** Serves a database while `work` calls the API. */
async function serving<T>(of: CommandLine, work: (call: Call) => Promise<T>): Promise<T> {
  const server = await serve(of.env);
  try {
    const api = client(server.baseUrl, all?.api_key);
    return await work(async (method, path, body) => {
      const { body: answer } = await api.send(method, path, body && JSON.stringify(body), body && asJson);
      return answer as Record<string, string>;
    });
  } finally {
    await server.stop();
  }
}

type Call = (method: string, path: string, body?: object) => Promise<Record<string, string>>;

const dek = Buffer.alloc(32, 7).toString('base64');
const day = 86_400_000;
const at = (days: number): string => new Date(Date.now() + days * day).toISOString();
const keyNames = ['used', 'disabled', 'enabled', 'pending', 'destroyed', 'cancelled', 'closed', 'renewed'];
const apiKeyNames = ['revoked', 'narrowed', 'widened'];
const issuerNames = ['revoked issuer', 'untouched issuer', 'narrowed issuer', 'distrusted issuer'];
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? '';

await serving(eaas, async (call) => {
  for (const name of keyNames) {
    const { key_id = '' } = await call('POST', '/v1/keys', { name });
    ids.set(name, key_id);
  }
  for (const name of apiKeyNames) {
    const { api_key_id = '' } = await call('POST', '/v1/api-keys', {
      name,
      permissions: ['encrypt', 'decrypt'],
      key_ids: [idOf('used'), idOf('disabled')],
    });
    ids.set(name, api_key_id);
  }
  for (const name of issuerNames) {
    const fields = newIssuer(idOf('used'));
    const subject_prefix = `${name}:`;
    const { issuer_id = '' } = await call('POST', '/v1/issuers', { ...fields, name, subject_prefix });
    ids.set(name, issuer_id);
  }
  for (const subject of ['erased', 'kept']) {
    await call('POST', `/v1/keys/${idOf('used')}/wrap`, { dek, subject });
  }
  await call('POST', `/v1/keys/${idOf('closed')}/rotate`);
  await call('POST', `/v1/keys/${idOf('cancelled')}/disable`);
  await call('DELETE', `/v1/keys/${idOf('cancelled')}?grace_days=5`);
});

const atBackup = jsonLines((await eaas('audit', 'export', '--tenant', 'acme')).stdout).length;

// The backup, of which each restore is a copy.
const admin = <T>(work: Parameters<typeof withAdmin<T>>[1]) =>
  withAdmin(eaas.database.connection('superuser'), work);
const backup = { name: eaas.database.name, prepare: async () => {} };
await admin((sql) => finishTemplate(sql, backup.name));
afterAll(() => admin((sql) => sql`alter database ${sql(backup.name)} with is_template false`));

async function restored(opening: typeof createDatabase = createDatabase): Promise<CommandLine> {
  const { url } = await opening(backup);
  return eaas.with({ EAAS_DATABASE_URL: url('server'), EAAS_MIGRATE_DATABASE_URL: url('owner') });
}

// What happens after the backup.
const lost = await restored(createDatabase);
await serving(lost, async (call) => {
  const key = (name: string, path = '') => `/v1/keys/${idOf(name)}${path}`;
  const apiKey = (name: string) => `/v1/api-keys/${idOf(name)}`;
  const issuer = (name: string) => `/v1/issuers/${idOf(name)}`;
  for (const name of ['disabled', 'enabled', 'pending', 'destroyed']) {
    await call('POST', key(name, '/disable'));
  }
  await call('POST', key('enabled', '/enable'));
  await call('DELETE', `${key('pending')}?grace_days=30`);
  await call('DELETE', `${key('destroyed')}?grace_days=0`);
  await call('POST', key('cancelled', '/restore'));
  await call('DELETE', apiKey('revoked'));
  await call('PATCH', apiKey('narrowed'), { permissions: ['encrypt'] });
  await call('PATCH', apiKey('narrowed'), { key_ids: [idOf('used'), idOf('closed')] });
  await call('PATCH', apiKey('widened'), { key_ids: null, name: 'wide' });
  await call('PATCH', issuer('narrowed issuer'), {
    permissions: ['decrypt'],
    max_age_seconds: 60,
    expires_at: at(9),
  });
  await call('PATCH', issuer('distrusted issuer'), { jwks: { keys: [publicJwk()] } });
  await call('POST', key('renewed', '/rotate'));
  for (const name of ['closed', 'renewed']) await call('PUT', key(name, '/min-version'), { key_version: 2 });
  await call('DELETE', issuer('revoked issuer'));
  await call('POST', '/v1/subjects/erase', { subject: 'erased' });
  await call('POST', key('used', '/wrap'), { dek, subject: 'new' });
  await call('POST', '/v1/subjects/erase', { subject: 'new' });
  const created = await call('POST', '/v1/api-keys', { name: 'lost', permissions: ['encrypt'] });
  await call('DELETE', `/v1/api-keys/${created['api_key_id']}`);
});
await lost.json('tenant', 'set', 'acme', '--envelope-only', 'true');
const lastChange = await checkpointOf(lost, 'last-change');
await lost.json('tenant', 'set', 'acme', '--monthly-encrypt-quota', '5');
const newest = await checkpointOf(lost, 'newest');
const file = join(folder, 'lost.ndjson');
await lost.json('audit', 'export', '--tenant', 'acme', '--out', file);
const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);

async function checkpointOf(of: CommandLine, name: string): Promise<string> {
  const path = join(folder, `${name}.checkpoint`);
  await writeFile(path, (await of('audit', 'checkpoint', '--tenant', 'acme')).stdout);
  return path;
}

const replay = (of: CommandLine, path: string, ...args: readonly string[]) =>
  of('audit', 'replay', path, '--tenant', 'acme', ...args);
const proven = ['--checkpoint', newest, '--yes'];

const stateAfter = (of: CommandLine) =>
  serving(of, async (call) => {
    const people = [];
    for (const subject of ['erased', 'kept', 'new']) {
      people.push((await call('POST', `/v1/keys/${idOf('used')}/wrap`, { dek, subject }))['code']);
    }
    const narrowed = await call('GET', `/v1/api-keys/${idOf('narrowed')}`);
    return { people, narrowed, pending: await call('GET', `/v1/keys/${idOf('pending')}`) };
  });

describe('a restored tenant', () => {
  test('loses again what the lost log took away, and nothing else', async () => {
    const again = await restored();
    const first = await replay(again, file, ...proven, '--json');
    expect(first).toMatchObject({ code: 1 });
    const rows = jsonLines<Row>(first.stdout);
    const stated = (state: string) =>
      rows.filter((row) => row.state === state).map(({ action, name, id }) => [action, name ?? id]);
    expect(stated('repeated')).toEqual([
      ['key.disable', 'disabled'],
      ['key.destroy', 'pending'],
      ['key.destroy', 'destroyed'],
      ['api_key.revoke', 'revoked'],
      ['api_key.update', 'narrowed'],
      ['issuer.update', 'narrowed issuer'],
      ['key.min_version', 'closed'],
      ['issuer.revoke', 'revoked issuer'],
      ['subject.erase', expect.stringMatching(/^[\da-f]{64}$/)],
      ['subject.erase', expect.stringMatching(/^[\da-f]{64}$/)],
      ['tenant.update', 'acme'],
    ]);
    expect(stated('by hand')).toEqual([
      ['key.restore', 'cancelled'],
      ['issuer.update', 'distrusted issuer'],
      ['key.min_version', 'renewed'],
    ]);
    expect(first.stderr).toMatch(
      /: restore it first[^]*: set jwks as before[^]*must be at most 1, the newest version/,
    );
    expect(await again('audit', 'verify', '--tenant', 'acme')).toMatchObject({ code: 0 });

    const { stdout } = await again('audit', 'export', '--tenant', 'acme');
    const own = jsonLines<Entry>(stdout).slice(atBackup);
    expect(new Set(own.map(({ actor }) => actor))).toEqual(new Set(['operator']));

    const second = await replay(again, file, ...proven, '--json');
    expect(jsonLines<Row>(second.stdout)).toEqual(rows.filter(({ state }) => state === 'by hand'));
    expect((await again('audit', 'export', '--tenant', 'acme')).stdout).toBe(stdout);
    await again.json('audit', 'acknowledge-restore', '--tenant', 'acme', '--reason', 'a test');
    expect((await replay(again, file, ...proven, '--json')).stdout).toBe(second.stdout);

    const state = await stateAfter(again);
    expect(state.people).toEqual(['subject_erased', undefined, 'subject_erased']);
    expect(state.pending).toMatchObject({ status: 'pending_destruction' });
    expect(state.narrowed).toMatchObject({ permissions: ['encrypt'], key_ids: [idOf('used')] });
    const later = Date.parse(String(state.pending['destroy_at'])) - Date.parse(at(30));
    expect(Math.abs(later)).toBeLessThan(day);
    expect(await refusalOf(replay(again, file, ...proven), 1)).toContain('so it does not continue this log');
  });

  test('is asked for, and a checkpoint at the last change is enough', async () => {
    const again = await restored();
    expect(await replay(again, file, '--checkpoint', lastChange)).toMatchObject({ code: 2 });
    const command = ['audit', 'replay', file, '--tenant', 'acme', '--checkpoint', lastChange];
    const refused = await run(inTerminal(command), again.env, { input: 'no\n' });
    expect(refused.stdout).toContain('12 changes that the lost log made will be made again');
    const agreed = await run(inTerminal(command), again.env, { input: 'yes\n' });
    expect(agreed.stdout).toContain('Repeated 11 of 12.');
  });
});

test('after nothing was lost, nothing is next', async () => {
  const { code, stderr } = await replay(lost, file, ...proven);
  expect([code, stderr]).toEqual([0, 'None.\n']);
});

describe('nothing is changed, and the command exits with 1', async () => {
  const again = await restored(createDatabase);
  const before = (await again('audit', 'export', '--tenant', 'acme')).stdout;
  const [other] = await lost.json<{ tenant_id: string }>('tenant', 'create', '--name', 'other');
  for (const quota of ['1', '2']) await lost.json('tenant', 'set', 'other', '--monthly-encrypt-quota', quota);
  const atFork = jsonLines<Entry>(before).length;
  const written = async (name: string, changed: readonly string[]) => {
    const path = join(folder, name);
    await writeFile(path, changed.map((line) => `${line}\n`).join(''));
    return path;
  };
  const othersFile = await written(
    'others',
    (await lost('audit', 'export', '--tenant', 'other')).stdout.split('\n').slice(0, -1),
  );
  const early = await checkpointOf(again, 'early');

  /** The file with another last entry, whose hash is right. */
  const forged = () => {
    const [previous, last] = lines.slice(-2).map((line) => JSON.parse(line) as Entry);
    const { hash: _, ...entry } = { ...(last as Entry), action: 'key.destroy', key_id: idOf('used') };
    const before = Buffer.from(previous?.hash ?? '', 'hex');
    const hash = Buffer.from(chainHash(before, entryDigest(entry))).toString('hex');
    return written('forged', [...lines.slice(0, -1), JSON.stringify({ ...entry, hash })]);
  };

  test.each([
    ['no checkpoint', () => file, undefined, /Pass --checkpoint/],
    ['an older checkpoint', () => file, early, /proves the file up to entry \d+, but its last change/],
    ['a forged change', forged, newest, /checkpoint_mismatch at entry/],
    ['a file that begins late', () => written('late', lines.slice(atFork)), newest, /does not have entry/],
    [
      'the file of another tenant',
      () => othersFile,
      newest,
      new RegExp(`has the log of the tenant ${other?.tenant_id}`),
    ],
  ])('with %s', async (_, path, checkpoint, message) => {
    const args = checkpoint === undefined ? ['--yes'] : ['--checkpoint', checkpoint, '--yes'];
    const refused = await replay(again, await path(), ...args);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(message);
    expect((await again('audit', 'export', '--tenant', 'acme')).stdout).toBe(before);
  });
});
