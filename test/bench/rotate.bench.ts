import postgres from 'postgres';
import { createTestService } from '@eaas/local';
import { migrate } from '@eaas/migrate';
import { EaasClient } from '@eaas/sdk';
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Benchmark } from './compare.ts';

const size = 5_000;
const fields = defineFields({
  notes: { subject: 'person', ...unencrypted('id', 'person'), note: field.text() },
});

export const benchmark: Benchmark = {
  name: 'rotate',
  about: `rotation of a table of ${size.toLocaleString('en')} people in PostgreSQL, beside the calls of \`rewrapMany\` alone, with a service in memory`,
  async comparisons(defer) {
    const server = await OwnPostgres.start();
    defer(server.drop);
    const sql = postgres({ ...server.connection('owner'), max: 1 });
    defer(async () => sql.end());
    await sql`create table notes (id int primary key, person text not null, note text not null)`;
    const service = createTestService();
    const { baseUrl, apiKey, fetch } = service;
    const client = new EaasClient({ baseUrl, apiKey, fetch, keyId: service.createKey('notes').key_id });
    const plain = Array.from({ length: size }, (_, id) => ({
      id,
      person: `person ${id}`,
      note: `note ${id}`,
    }));
    const rows = await fields.for(client).encryptRows('notes', plain, ({ id }) => id);
    for (let at = 0; at < size; at += 1_000) await sql`insert into notes ${sql(rows.slice(at, at + 1_000))}`;
    const db = { query: (statement: string, values: string[]) => sql.unsafe(statement, values) };
    return [
      {
        ours: {
          name: 'keys.rotate, migrate',
          size,
          async run() {
            await client.keys.rotate({ key_id: String(client.keyId) });
            const { done, progress } = await migrate(db, 'notes', 'rewrap', { client, fields });
            if (!done || progress.rewritten !== size)
              throw new Error(`every row must be rewritten (got ${progress.rewritten}, done: ${done})`);
          },
        },
        reference: {
          name: 'rewrapMany',
          size,
          run: async () =>
            Promise.all(rows.map(({ note, person }) => client.rewrapMany([note], { subject: person }))),
        },
        target: 0.4,
      },
    ];
  },
};
