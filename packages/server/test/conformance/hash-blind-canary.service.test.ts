import { createHash, randomBytes } from 'node:crypto';
import { pae, toUtf8 } from '@eaas/protocol';
import { nodeCurve } from '@eaas/protocol/blind-hash-node';
import { finish } from '@eaas/protocol/service';
import { expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { blindValues } from '@eaas/test-kit/blind-values';
import { whereAvailable } from '@eaas/test-kit/available';
import { environmentOf, migrated, storedText, testDatabase } from '@eaas/test-kit/database';
import { canReadMemory, findInMemory } from './process-memory.ts';
import { client } from '@eaas/test-kit/api';
import { type IssuedApiKey, ok, type TenantRecord } from '@eaas/test-kit/fixture';
import { eaas, type Environment, run, serve } from '@eaas/test-kit/program';

async function command<T>(env: Environment, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run([...eaas, ...args, '--json'], env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

const database = await testDatabase(migrated);
const env = environmentOf(database.url);
const server = await closing(serve(env), (it) => it.stop());
const { tenant_id } = await command<TenantRecord>(env, 'tenant', 'create', '--name', 'canary');
const all = ['--tenant', tenant_id, '--name', 'all', '--permissions', 'all'];
const { api_key } = await command<IssuedApiKey>(env, 'api-key', 'create', ...all);
const api = client(server.baseUrl, api_key);
const keyId = ok(await api.post('/v1/keys', { name: 'canary' })).key_id;

const value = `canary ${randomBytes(24).toString('hex')}`;
const digest = createHash('sha256').update(value).digest();
const blinded = finish(
  blindValues(
    nodeCurve,
    Array.from({ length: 100 }, () => toUtf8(value)),
  ),
);
const evaluate = async () =>
  ok(await api.post('/v1/hash/blind', { key_id: keyId, elements: blinded.elements }));

async function secrets(): Promise<Record<string, Buffer>> {
  const [hash = ''] = finish(blinded.finish(await evaluate()));
  return {
    value: Buffer.from(value),
    'value in base64': Buffer.from(Buffer.from(value).toString('base64')),
    'value in UTF-16': Buffer.from(value, 'utf16le'),
    digest,
    'digest in hex': Buffer.from(digest.toString('hex')),
    input: Buffer.from(pae('eaas blind hash v1', digest)),
    hash: Buffer.from(hash, 'hex'),
    'hash in hex': Buffer.from(hash),
  };
}

test('after a blind hash, the database, the audit log and the log lines do not contain the value', async () => {
  const hidden = await secrets();
  const logs = JSON.stringify(ok(await api.get('/v1/audit?limit=100')));
  const places = { database: await storedText(database), logs, lines: server.log() };
  expect(places.database).toContain(keyId);
  expect(places.lines).toContain('/v1/hash/blind');
  for (const [place, text] of Object.entries(places)) {
    for (const [name, secret] of Object.entries(hidden)) {
      const spellings = (['latin1', 'hex', 'base64'] as const).map((spelling) => secret.toString(spelling));
      const found = spellings.some((spelling) => text.includes(spelling));
      expect({ place, name, found }).toEqual({ place, name, found: false });
    }
  }
});

whereAvailable('the memory of another process', canReadMemory, () => {
  test('while the service computes blind hashes, its memory does not contain the values', async () => {
    const hidden = await secrets();
    const known = `control ${randomBytes(24).toString('hex')} `.repeat(500);
    const search = { ...hidden, control: Buffer.from(known.slice(0, 80)) };
    ok(await api.post('/v1/hash', { key_id: keyId, value: known }));
    const scan = { isOver: false };
    const load = (async () => {
      while (!scan.isOver) await evaluate();
    })();
    const found = await findInMemory(server.pid, search);
    scan.isOver = true;
    await load;
    // `/v1/hash` received `control` in plaintext. The test must find this value, which shows that its search works.
    expect(found).toEqual(new Set(['control']));
  });
});
