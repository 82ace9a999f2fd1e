import { afterEach, describe, expect, test, vi } from 'vitest';
import { ciphertextSize } from '@eaas/protocol/stream';
import { createTestService } from '@eaas/local';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, part, unencrypted } from '@eaas/sdk/fields';
import { intakeWrappedLength } from '../../packages/protocol/src/intake/suite.ts';
import * as format from '../../packages/protocol/src/format-sizes.ts';
import { limitsOf } from '../../packages/sdk/src/data-keys/limits.ts';
import { read, rowsUnder } from '@eaas/test-kit/markdown';

const page = read('docs/limits.md');
const english = (value: number): string => value.toLocaleString('en');
const values = Array.from({ length: 1_000 }, (_, at) => `value ${at}`);
const fields = defineFields({
  users: {
    ...unencrypted('id'),
    email: field.text().searchable(),
  },
  people: {
    lowEntropy: 'accepted',
    city: field.text().searchable({ bits: 64 }),
    name: field.text().searchableBy({ words: part.words() }),
    born: field.date().searchableBy({ range: part.dateRange() }),
    income: field.number().searchableBy({ band: part.steps(1) }),
  },
});
const users = defineFields({ users: { ...unencrypted('id'), email: field.text().searchable() } });
const rows = values.map((email, id) => ({ id, email }));

const service = createTestService();
const { key_id: keyId } = await service.createKey('users');
const connection = { ...service, keyId, retries: 0 };
const writer = new EaasClient(connection);
const indexKey = await createIndexKey(writer);
const underOne = await ciphertextsOf(writer);
const strict = new EaasClient({ ...connection, cache: { encrypt: false } });
const underMany = await ciphertextsOf(strict);

async function ciphertextsOf(client: EaasClient): Promise<string[]> {
  const results = await client.encryptMany(values);
  return results.map((result) => {
    if (!result.ok) throw result.error;
    return result.value;
  });
}

afterEach(() => void vi.useRealTimers());

describe('the table of requests', () => {
  /** What a client does, twice, and with how many values: where each takes a request, fewer are enough. */
  const measures: [(client: EaasClient, count: number) => () => Promise<unknown>, number][] = [
    [(client) => () => each(values, (value) => client.encrypt(value)), 1_000],
    [(client) => () => each(underOne, (ciphertext) => client.decrypt(ciphertext)), 1_000],
    [(client) => () => client.decryptMany(underMany), 1_000],
    [decryptInTurn, 20],
    [decryptInTurn, 20],
    [fingerprint, 1_000],
    [encryptRows, 1_000],
  ];

  async function each(items: readonly string[], run: (item: string) => Promise<unknown>): Promise<void> {
    for (const item of items) await run(item);
  }

  function decryptInTurn(client: EaasClient, count: number): () => Promise<void> {
    return () => each(underMany.slice(0, count), (ciphertext) => client.decrypt(ciphertext));
  }

  function fingerprint(client: EaasClient): () => Promise<void> {
    const records = users.for(client, { index: indexKey });
    return () => each(values, (email) => records.where('users', { email }));
  }

  function encryptRows(client: EaasClient): () => Promise<unknown> {
    return () => users.for(client, { index: 'service' }).encryptRows('users', rows, ({ id }) => id);
  }

  const table = rowsUnder(page, '1,000 values').map((row, at) => ({ row, at, what: row[0] ?? '' }));

  test('every line is measured', () => expect(table).toHaveLength(measures.length));

  test.each(table)('$what', async ({ row: [what = '', cold, warm], at }) => {
    const cache = what.includes('decrypt: false') ? ({ decrypt: false } as const) : undefined;
    const client = new EaasClient({ ...connection, ...(cache && { cache }) });
    const isHash = what.includes('`index:');
    const [prepare, count = 0] = measures[at] ?? [];
    const run = prepare?.(client, count);
    const counted = async (): Promise<number> => {
      const before = service.requests.length;
      await run?.();
      const seen = service.requests.slice(before).filter(({ route }) => !isHash || route?.includes('hash'));
      return (seen.length * values.length) / count;
    };
    expect([await counted(), await counted()].map(english)).toEqual([cold, warm]);
  });
});

describe('the table of bytes', () => {
  const table = new Map(rowsUnder(page, 'column').map(([column = '', ...cells]) => [column, cells]));

  test('a ciphertext has as many characters as the page says', async () => {
    const lengths = await Promise.all(
      [0, 11, 1_000].map(async (n) => english((await writer.encrypt('x'.repeat(n))).length)),
    );
    expect(table.get('ciphertext')).toEqual([expect.stringContaining('(164 + n) / 3'), ...lengths]);
  });

  test('a ciphertext of a writer has as many characters as the page says', () => {
    const { fixedLength, ivLength, commitmentLength, tagLength } = format;
    const overhead = fixedLength + intakeWrappedLength + ivLength + commitmentLength + tagLength;
    const lengths = [0, 11, 1_000].map((n) => english(4 * Math.ceil((overhead + n) / 3)));
    expect(table.get('ciphertext of a writer with an intake key')).toEqual([
      `4 × ⌈(${english(overhead)} + n) / 3⌉`,
      ...lengths,
    ]);
  });

  test('index columns have as many characters as the page says', async () => {
    const records = fields.for(writer, { index: indexKey });
    const user = await records.encryptRow('users', 1, { id: 1, email: 'ada@example.com' });
    const stored = await records.encryptRow('people', 1, {
      city: 'Turin',
      name: 'Ada King Noel',
      born: new Date(0),
    });
    expect([table.get('index, 256 bits')?.[0], table.get('index, `bits: 64`')?.[0]]).toEqual(
      [user.email_index, stored.city_index].map((index) => String(index?.length)),
    );
    expect(table.get('index of `w` words or prefixes; `part.dateRange()`: `w` = 2')?.[0]).toBe('65 × w − 1');
    expect(stored.name_words_index).toHaveLength(65 * 3 - 1);
    expect(stored.born_range_index).toHaveLength(65 * 2 - 1);
  });

  test('a stream has as many bytes more as the page says', () => {
    const chunk = format.streamChunkLength;
    const [fixed, each] = [ciphertextSize(0) - format.tagLength, format.tagLength];
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      `${fixed} bytes more than the file, and ${each} for each ${chunk / 1024} KiB`,
    );
    expect(ciphertextSize(3 * chunk)).toBe(3 * chunk + fixed + 3 * each);
  });
});

test('a search by range has as many buckets as the page says', async () => {
  const records = fields.for(writer, { index: indexKey });
  const search = (to: number) => records.where('people', { income: { band: { from: 1, to } } });
  const most = rowsUnder(page, 'what').find(([what]) => what?.startsWith('buckets'))?.[1];
  expect(english((await search(1_000)).income_band_index.length)).toBe(most);
  await expect(search(1_001)).rejects.toMatchObject({ code: 'input' });
});

describe('during an outage', () => {
  let isDown = false;
  const fetch: typeof service.fetch = async (input, init) => {
    if (isDown) throw new TypeError('fetch failed');
    return service.fetch(input, init);
  };

  function tasksOf(client: EaasClient): (() => Promise<unknown>)[] {
    const byKey = users.for(client, { index: indexKey });
    const byService = users.for(client, { index: 'service' });
    return [
      () => client.encrypt('x'),
      () => client.decrypt(underOne[0] ?? ''),
      () => client.decrypt(underMany[1] ?? ''),
      () => byKey.where('users', { email: 'x' }),
      () => byService.where('users', { email: 'x' }),
    ];
  }

  const outcomeOf = (run: () => Promise<unknown>): Promise<string> =>
    run().then(
      () => 'works',
      ({ retryable }: { retryable: boolean }) => `fails, \`retryable: ${retryable}\``,
    );

  test('a minute after the service went down, only tasks with what is warm work', async () => {
    vi.useFakeTimers();
    const outcomes: string[][] = [];
    for (const isWarm of [true, false]) {
      const tasks = tasksOf(new EaasClient({ ...connection, fetch }));
      isDown = false;
      for (const at of isWarm ? [0, 1, 3] : []) await tasks[at]?.();
      isDown = true;
      await vi.advanceTimersByTimeAsync(60_000);
      outcomes.push(await Promise.all(tasks.map(outcomeOf)));
    }
    const [works, fails] = ['works', 'fails, `retryable: true`'];
    expect(outcomes).toEqual([
      [works, works, fails, works, fails],
      [fails, fails, fails, fails, fails],
    ]);
  });

  test('a warm client stays warm for 5 minutes', () => {
    const { encrypt, decrypt } = limitsOf('server');
    expect(new Set([encrypt.maxAge, decrypt.maxAge])).toEqual(new Set([5 * 60_000]));
  });
});
