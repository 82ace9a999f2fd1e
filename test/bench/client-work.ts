// What a warm client costs, in a process of its own: the checkouts that `regress` compares each start theirs, with their database.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from '@eaas/test-kit/program';
import type { Defer } from './compare.ts';

/** How often each work is done in a turn. */
export const works = {
  'list of 200 rows, a person each': 12,
  'list of 200 rows, one data key': 12,
  'encryptMany, 1,000 values': 12,
  'decryptMany, 1,000 values': 12,
  encrypt: 3_000,
  encryptSync: 3_000,
  decrypt: 3_000,
  decryptSync: 3_000,
};
export type Work = keyof typeof works;

const program = `
  import { pgTable, uuid } from 'drizzle-orm/pg-core';
  import { drizzle } from 'drizzle-orm/postgres-js';
  import postgres from 'postgres';
  import { encrypted, encryptedTable, withEncryption } from '@eaas/drizzle/pg';
  import { createTestService } from '@eaas/local';
  import { EaasClient } from '@eaas/sdk';
  import { field } from '@eaas/sdk/fields';

  const sql = postgres({ ...JSON.parse(process.env.CONNECTION), max: 1 });
  const { baseUrl, apiKey, fetch, createKey } = createTestService();
  const { key_id: keyId } = await createKey('benchmark');
  const cache = { encrypt: { maxMessages: 2 ** 32, maxBytes: 2 ** 50, maxAge: 86_400_000 }, decrypt: { maxAge: 86_400_000 } };
  const client = new EaasClient({ baseUrl, apiKey, keyId, fetch, cache });
  const db = withEncryption(drizzle(sql), client);
  const names = ['name', 'email', 'iban', 'street', 'phone', 'note'];
  const rows = Array.from({ length: 200 }, (_, nth) => ({
    id: crypto.randomUUID(),
    ...Object.fromEntries(names.map((name) => [name, name + ' of person number ' + nth])),
  }));
  async function filled(name, options) {
    await sql.unsafe('create temporary table ' + name + ' (id uuid primary key, ' + names.join(' text, ') + ' text)');
    const columns = Object.fromEntries(names.map((name) => [name, encrypted(field.text()).notNull()]));
    const table = encryptedTable(name, { id: uuid().primaryKey(), ...columns }, options);
    await db.insert(table).values(rows);
    return table;
  }
  const ofPeople = await filled('of_people', { subject: 'id' });
  const ofNobody = await filled('of_nobody');
  const context = { table: 'patients', column: 'diagnosis' };
  const asText = { context, as: 'text' };
  const texts = Array.from({ length: 1_000 }, (_, nth) => String(nth).padStart(64, 'x'));
  await client.prime();
  const ciphertexts = texts.map((text) => client.encryptSync(text, { context }));
  await client.prime({ ciphertexts });
  let nth = 0;
  const next = (list) => list[nth++ % 1_000];
  const works = {
    'list of 200 rows, a person each': () => db.select().from(ofPeople),
    'list of 200 rows, one data key': () => db.select().from(ofNobody),
    'encryptMany, 1,000 values': () => client.encryptMany(texts, { context }),
    'decryptMany, 1,000 values': () => client.decryptMany(ciphertexts, asText),
    encrypt: () => client.encrypt(next(texts), { context }),
    encryptSync: () => client.encryptSync(next(texts), { context }),
    decrypt: () => client.decrypt(next(ciphertexts), asText),
    decryptSync: () => client.decryptSync(next(ciphertexts), asText),
  };
  process.on('message', async ([work, times]) => {
    let begin;
    // A third more is not counted: after a pause, the caches of the processor are cold.
    for (let time = -times / 3; time < times; time++) {
      if (time === 0) begin = process.cpuUsage();
      const outcome = works[work]();
      if (outcome.then) await outcome;
    }
    const { user, system } = process.cpuUsage(begin);
    process.send((user + system) / times);
  });
  process.send('ready');`;

/** Starts a client, and returns a function that measures the CPU time of a work, in microseconds. */
export async function startClient(checkout: string, connection: object, defer: Defer) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkout,
    env: { ...inherited(), CONNECTION: JSON.stringify(connection) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  defer(() => child.kill());
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the client of ${checkout} ended`);
  });
  const answer = async (): Promise<unknown> =>
    Promise.race([once(child, 'message').then(([sent]) => sent), ended]);
  const measure = async (work: Work): Promise<number> => {
    const answered = answer();
    child.send([work, works[work]]);
    return Number(await answered);
  };
  await answer();
  ended.catch(() => undefined);
  for (const work of Object.keys(works) as Work[]) for (let turn = 0; turn < 12; turn++) await measure(work);
  return measure;
}
