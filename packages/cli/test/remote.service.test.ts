// Commands with `--remote`, in processes that have no database, against the server of the tests.
import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { commandLine, jsonLines, refusalOf } from '@eaas/test-kit/command-line';
import { expectNothingRecorded, newTenant, ok, only, target, unknownId } from '@eaas/test-kit/fixture';
import { freePort } from '@eaas/test-kit/free-port';
import { listening } from '@eaas/test-kit/listening';
import { eaas, type Environment, run } from '@eaas/test-kit/program';

const tenant = await newTenant();
const { baseUrl } = await target();
const { token = '' } = tenant.api;
const ofAdmin = { EAAS_BASE_URL: baseUrl, EAAS_API_KEY: token };
const first = `Service ${baseUrl}, tenant ${tenant.tenant_id}, API key ${tenant.apiKeyId}\n`;

/** No output ever has the API key. */
async function remotely(env: Environment, ...args: string[]) {
  const finished = await run([...eaas, ...args], { ...ofAdmin, ...env });
  expect(finished.stdout + finished.stderr).not.toContain(env['EAAS_API_KEY'] || token);
  return finished;
}
const remote = (...args: string[]) => remotely({}, ...args, '--remote');

test('with --remote, commands call the service as the API key, and say first whose it is', async () => {
  const { code, stdout, stderr } = await remote('key', 'create', '--name', 'patients', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: first });
  const { key_id } = only(jsonLines<{ key_id: string }>(stdout));
  expect(await tenant.entries('limit=1')).toMatchObject([{ action: 'key.create', actor: tenant.apiKeyId }]);
  const listed = await remote('key', 'list', '--tenant', tenant.tenant_id.toUpperCase());
  expect(listed).toMatchObject({ code: 0, stderr: first });
  expect(listed.stdout).toMatch(new RegExp(`^${key_id} +patients `, 'm'));
  const next = (name: string): string => `\`eaas key ${name} ${key_id} --remote\``;
  expect((await remote('key', 'disable', 'patients')).stderr).toBe(
    `${first}Next: ${next('enable')} enables the key again, ${next('destroy')} destroys it\n`,
  );
  expect((await remote('key', 'destroy', key_id, '--confirm', 'patients')).stderr).toContain(next('restore'));
  expect(await refusalOf(remote('key', 'show', 'nobody'), 1)).toContain(
    '`eaas key list --remote` lists them',
  );
});

test.each([
  ['another has the same last letters', null, () => `that ends in ${token.slice(-4)}`],
  ['another that was revoked has them', '2026-01-01T00:00:00.000Z', () => tenant.apiKeyId],
])('the API key that asks is named only if no other can be meant: %s', async (_, revoked_at, says) => {
  await tenant.issue();
  const hint = token.slice(-4);
  const answerAlike = async (url: string, method: string, response: ServerResponse): Promise<void> => {
    const answer = await fetch(`${baseUrl}${url}`, { method, headers: { authorization: `Bearer ${token}` } });
    const found = (await answer.json()) as { readonly api_keys?: readonly { readonly api_key_id: string }[] };
    const api_keys = found.api_keys?.map((record) =>
      record.api_key_id === tenant.apiKeyId ? record : { ...record, hint, revoked_at },
    );
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...found, ...(api_keys && { api_keys }) }));
  };
  const alike = createServer(({ url = '', method = '' }, response) => {
    void answerAlike(url, method, response);
  });
  const port = await listening(alike);

  const { stderr } = await remotely({ EAAS_BASE_URL: `http://127.0.0.1:${port}` }, 'key', 'list', '--remote');

  expect(stderr).toMatch(new RegExp(`, API key ${says()}$`, 'm'));
});

test('an API key is revoked by its name, without a next step that needs the database', async () => {
  const { record } = await tenant.issue();
  expect(await remote('api-key', 'revoke', record.name)).toMatchObject({ code: 0, stderr: first });
  const { revoked_at } = ok(await tenant.api.get(`/v1/api-keys/${record.api_key_id}`));
  expect(revoked_at).not.toBeNull();
});

test.each([unknownId(), tenant.name])('--tenant %s beside the API key of another is refused', (given) =>
  expectNothingRecorded(tenant, async () => {
    const create = remote('key', 'create', '--name', 'theirs', '--tenant', given);
    const said = `${first}--tenant must be the id of the tenant of EAAS_API_KEY, ${tenant.tenant_id}: pass`;
    expect(await refusalOf(create, 2)).toContain(said);
  }),
);

test('without the right to list, a name is refused with the permission that is missing, and an id works', async () => {
  const { key_id, name } = await tenant.newKey();
  const { record } = await tenant.issue({ permissions: ['keys.manage'] });
  const rotate = (...args: string[]) =>
    remotely({ EAAS_API_KEY: record.api_key }, 'key', 'rotate', ...args, '--remote');
  expect(await refusalOf(rotate(name), 1)).toBe(
    `Service ${baseUrl}, tenant unknown without audit.read, API key that ends in ${record.hint}\n` +
      'This call needs an API key with the permission `keys.read`. Set EAAS_API_KEY to one that may do this. ' +
      'Or pass the id: only a name must be looked up.\n',
  );
  expect(await rotate(key_id)).toMatchObject({ code: 0 });
  expect(await refusalOf(rotate(key_id, '--tenant', tenant.tenant_id), 2)).toContain(
    '--tenant cannot be checked, because EAAS_API_KEY lacks the permission audit.read',
  );
});

test.each<[string, number, Environment, RegExp]>([
  [
    'http: to another machine',
    2,
    { EAAS_BASE_URL: 'http://eaas.example' },
    /^`EAAS_BASE_URL` must use https: .* keys\.$/m,
  ],
  [
    'no address',
    2,
    { EAAS_BASE_URL: '' },
    /^--remote needs EAAS_BASE_URL: set EAAS_BASE_URL to .* EAAS_API_KEY to /,
  ],
  [
    'no API key',
    2,
    { EAAS_API_KEY: '' },
    /^--remote needs EAAS_API_KEY: set EAAS_BASE_URL to .* EAAS_API_KEY to /,
  ],
  ['a cut API key', 2, { EAAS_API_KEY: token.slice(0, -1) }, /^EAAS_API_KEY must be eaas_sk_ and 49 letters/],
  [
    'another API key',
    1,
    { EAAS_API_KEY: formatApiKey(randomBytes(32)) },
    /another .* Set EAAS_API_KEY to it\.$/m,
  ],
  [
    'no service',
    3,
    { EAAS_BASE_URL: `http://127.0.0.1:${await freePort()}` },
    /^EAAS_BASE_URL: .*is it running/,
  ],
])('with --remote, %s ends with the exit code %i, and says what to set', async (_, code, env, says) => {
  expect(await refusalOf(remotely(env, 'key', 'list', '--remote'), code)).toMatch(says);
});

test.each([
  'migrate',
  'doctor',
  'serve',
  'tenant list',
  'root-key check',
  'audit verify',
  'audit replay a --tenant a --checkpoint a',
])('eaas %s does not run with --remote or EAAS_REMOTE=1', async (command) => {
  const says = /^This command does not run with --remote or EAAS_REMOTE=1: run it without them, where/;
  expect(await refusalOf(remote(...command.split(' ')), 2)).toMatch(says);
  expect(await refusalOf(remotely({ EAAS_REMOTE: '1' }, ...command.split(' ')), 2)).toMatch(says);
});

test('without --remote, commands use the database, whatever the variables say', async () => {
  const database = await commandLine();
  await database.json('tenant', 'create', '--name', 'acme');
  for (const EAAS_REMOTE of ['', '0']) {
    // One process runs both commands, and keeps nothing of the first.
    const { stderr } = await database.with({ ...ofAdmin, EAAS_REMOTE: '1' })('key', 'list');
    expect(stderr).toBe(first);
    const local = database.with({ ...ofAdmin, EAAS_REMOTE });
    expect(await local('key', 'list', '--tenant', 'acme')).toMatchObject({ code: 0, stderr: 'None.\n' });
    expect(await refusalOf(local('key', 'list'), 2)).toMatch(/^error: required option '--tenant <tenant>'/);
  }
  const unusual = database.with({ EAAS_REMOTE: 'yes' })('key', 'list', '--tenant', 'acme');
  expect(await refusalOf(unusual, 3)).toBe('EAAS_REMOTE must be one of 0, 1.\n');
});
