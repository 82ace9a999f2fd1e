// What an attacker gets who has the service with all its keys, its traffic, and the database of the app: nothing without the
// half, and everything with it.
import { randomBytes } from 'node:crypto';
import { indexKeyContext as wrapContext, parseIndexKey } from '@eaas/protocol/internal';
import * as kit from '@eaas/test-kit/decoder';
import { expect, test } from 'vitest';
import { EaasClient } from '../../src/index.ts';
import { createIndexKey, defineFields, field } from '../../src/fields/fields.ts';
import { observedClient, outcomesOf, range } from '../observed-client.ts';

const fields = defineFields({ people: { ssn: field.text({ context: 'field' }).searchable() } });
const context = { table: 'people', field: 'ssn' };
const numbers = range(20).map((n) => `${(n * 7_654_321 + 123_456_789) % 1_000_000_000}`.padStart(9, '0'));
const half = randomBytes(32);

/** A run of an app, and all that leaves its process. */
async function victim(source: 'token' | 'half') {
  const { make, service } = await observedClient();
  let traffic = '';
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    traffic += `${request.url} ${await request.clone().text()} `;
    const response = await service.fetch(request);
    traffic += `${await response.clone().text()} `;
    return response;
  };
  const app = make({ half: [half], fetch, cache: { encrypt: { maxMessages: 8 } } });
  const index = source === 'half' ? source : await createIndexKey(app);
  const rows = numbers.map((ssn) => ({ ssn }));
  const table = await fields.for(app, { index }).encryptRows('people', rows, ({ ssn }) => ssn);
  return { make, service: new EaasClient(service), traffic, token: parseIndexKey(index), table };
}

/** The key of a value, as somebody derives it who can ask the service and guesses a half. */
async function keyOf(service: EaasClient, ciphertext: string, guess: Buffer | null): Promise<string> {
  const { keyId, keyVersion, wrappedKey } = kit.takeApart(ciphertext);
  const wrapped = { keyId, keyVersion, wrappedKey: Buffer.from(wrappedKey, 'base64') };
  return kit.mixed(guess, keyId, Buffer.from(await service.unwrap(wrapped)).toString('base64'));
}

function openedBy(ciphertext: string, key: string): string | undefined {
  try {
    return kit.openEnvelope(ciphertext, key, context).toString();
  } catch {
    return undefined;
  }
}

test.each(['token', 'half'] as const)('a half keeps everything from the service: %s', async (source) => {
  const app = await victim(source);
  for (const encoding of ['hex', 'latin1', 'base64', 'base64url'] as const) {
    expect(app.traffic).not.toContain(half.toString(encoding).replace('=', ''));
  }
  expect(app.traffic).not.toContain(kit.tokenOf(half, 'eaas_half_'));

  /** How many values open with the data keys that the service unwraps, and how many numbers the index shows. */
  const attack = async (guess: Buffer | null) => {
    const tokenKey = app.token && (await app.service.unwrap(app.token, { wrapContext }));
    const indexKey = guess ? kit.halfIndexKey(guess, tokenKey ?? null) : (tokenKey ?? Buffer.alloc(32));
    const stored = new Set<unknown>(app.table.map(({ ssn_index }) => ssn_index));
    const indexOf = (ssn: string) =>
      kit.hmac(indexKey, kit.pae('eaas field index v1', 'people', 'ssn', ssn)).toString('hex');
    const keys = await Promise.all(app.table.map(({ ssn }) => keyOf(app.service, ssn, guess)));
    const opened = app.table.filter(({ ssn }, at) => openedBy(ssn, keys[at] ?? '') === numbers[at]);
    return { opened: opened.length, found: numbers.filter((ssn) => stored.has(indexOf(ssn))).length };
  };
  for (const guess of [null, Buffer.alloc(32), randomBytes(32)]) {
    expect(await attack(guess)).toEqual({ opened: 0, found: 0 });
  }
  expect(await attack(half)).toEqual({ opened: 20, found: 20 });

  const [{ ssn } = { ssn: '' }] = app.table;
  const forged = kit.sealEnvelope(ssn, await keyOf(app.service, ssn, null), 'forged', context);
  for (const [list, outcome] of [
    [[half, randomBytes(32)], 'decryption'],
    [[half, null], 'forged'],
  ] as const) {
    const many = await app.make({ half: list }).decryptMany([forged], { context, as: 'text' });
    expect(outcomesOf(many)).toEqual([outcome]);
  }
});
