// What an attacker gets who has the service with all its keys, its traffic, and the database of the app: nothing without the
// half. Against clients without a half, the same attack gets everything.
import { randomBytes } from 'node:crypto';
import { indexKeyContext as wrapContext, parseIndexKey } from '@eaas/protocol/internal';
import { some } from '@eaas/test-kit/cases';
import * as kit from '@eaas/test-kit/decoder';
import { expect, test } from 'vitest';
import { EaasClient, type EaasClientOptions } from '../../src/index.ts';
import { createIndexKey, defineFields, field } from '../../src/fields/fields.ts';
import { observedClient, outcomesOf, range } from '../observed-client.ts';

const fields = defineFields({ people: { ssn: field.text({ context: 'field' }).searchable() } });
const context = { table: 'people', field: 'ssn' };
const numbers = range(100).map((n) => `${(n * 7_654_321 + 123_456_789) % 1_000_000_000}`.padStart(9, '0'));
const half = randomBytes(32);

/** A run of an app, and all that leaves its process. */
async function victim(source: 'token' | 'half', options: Partial<EaasClientOptions>) {
  const { make, service } = observedClient();
  let traffic = '';
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    traffic += `${request.url} ${await request.clone().text()} `;
    const response = await service.fetch(request);
    traffic += `${await response.clone().text()} `;
    return response;
  };
  const app = make({ ...options, fetch, cache: { encrypt: { maxMessages: 40 } } });
  const index = source === 'half' ? source : await createIndexKey(app);
  const records = fields.for(app, { index });
  const rows = numbers.map((ssn) => ({ ssn }));
  const table = await records.encryptRows('people', rows, ({ ssn }) => ssn);
  expect(await records.decryptRows('people', table, ({ ssn }) => ssn)).toEqual(rows);
  return { make, service: new EaasClient(service), traffic, token: parseIndexKey(index), table };
}

type Victim = Awaited<ReturnType<typeof victim>>;
type Service = Victim['service'] | undefined;

/** Zeros, and every 32 bytes in the base64 of a text. */
const guessesIn = (text: string): readonly Buffer[] => {
  const found = [...new Set(text.match(/[\w+/=-]{43,}/g)), 'A'.repeat(43)].flatMap((base64) => {
    const bytes = Buffer.from(base64, 'base64');
    return range(Math.max(0, bytes.length - 31)).map((at) => bytes.subarray(at, at + 32));
  });
  return some(150, found);
};

/** All keys under which a value might be: from its DEK, which the service unwraps, or otherwise from guesses. */
async function keysOf(ciphertext: string, service: Service, guesses: readonly Buffer[]): Promise<string[]> {
  const { keyId, keyVersion, wrappedKey } = kit.takeApart(ciphertext);
  const wrapped = { keyId, keyVersion, wrappedKey: Buffer.from(wrappedKey, 'base64') };
  const deks = service ? [Buffer.from(await service.unwrap(wrapped))] : guesses;
  return deks.flatMap((dek) =>
    [null, ...guesses].map((guess) => kit.mixed(guess, keyId, dek.toString('base64'))),
  );
}

function openedBy(ciphertext: string, key: string): string | undefined {
  try {
    return kit.openEnvelope(ciphertext, key, context).toString();
  } catch {
    return undefined;
  }
}

/** How many values an attacker opens, and how many numbers they find by their indexes. */
async function attack({ table, token }: Victim, service: Service, guesses: readonly Buffer[]) {
  /** A value of each data key. */
  const samples = new Map(table.map(({ ssn }) => [kit.takeApart(ssn).wrappedKey, ssn])).values();
  const keys: string[] = [];
  for (const ssn of samples)
    keys.push(...(await keysOf(ssn, service, guesses)).filter((key) => openedBy(ssn, key) !== undefined));
  const opened = table.filter(({ ssn }, at) => keys.some((key) => openedBy(ssn, key) === numbers[at])).length;
  const tokenKey = token && service ? await service.unwrap(token, { wrapContext }) : null;
  const indexKeys = guesses.flatMap((guess) => [null, tokenKey].map((key) => kit.halfIndexKey(guess, key)));
  const stored = new Set<unknown>(table.map(({ ssn_index }) => ssn_index));
  const isFound = (key: Uint8Array, ssn = ''): boolean =>
    stored.has(kit.hmac(key, kit.pae('eaas field index v1', 'people', 'ssn', ssn)).toString('hex'));
  const all = tokenKey ? [tokenKey, ...guesses, ...indexKeys] : [...guesses, ...indexKeys];
  const right = all.find((key) => isFound(key, numbers[0]));
  return { opened, found: numbers.filter((ssn) => right && isFound(right, ssn)).length };
}

test('the attack reads every value of clients without a half, and finds every number', async () => {
  const app = await victim('token', {});
  expect(await attack(app, app.service, guessesIn(app.traffic))).toEqual({ opened: 100, found: 100 });
});

test.each(['token', 'half'] as const)('a half keeps everything from the service: %s', async (source) => {
  const app = await victim(source, { half: [half] });
  for (const text of [half.toString('hex'), kit.tokenOf(half, 'eaas_half_'), half.toString('latin1')])
    expect(app.traffic).not.toContain(text);
  const [{ ssn } = { ssn: '' }] = app.table;
  const guesses = guessesIn(app.traffic + ssn);
  expect(await attack(app, app.service, guesses)).toEqual({ opened: 0, found: 0 });
  expect(await attack(app, app.service, [half])).toEqual({ opened: 100, found: 100 });
  // With `index: 'half'`, who has the half needs no service to find numbers, because no token takes part.
  const alone = { opened: 0, found: source === 'half' ? 100 : 0 };
  expect(await attack(app, undefined, [half, ...some(20, guessesIn(ssn))])).toEqual(alone);

  const keys = await keysOf(ssn, app.service, guesses);
  const forged = keys.map((key) => kit.sealEnvelope(ssn, key, 'forged', context));
  for (const [list, count] of [
    [[half, randomBytes(32)], 0],
    [[half, null], 1],
    [[null, half], 1],
  ] as const) {
    const outcomes = outcomesOf(await app.make({ half: list }).decryptMany(forged, { context, as: 'text' }));
    expect(outcomes.filter((outcome) => outcome === 'forged')).toHaveLength(count);
  }
});
