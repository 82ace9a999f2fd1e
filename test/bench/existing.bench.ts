import postgres from 'postgres';
import type { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, plaintext, text } from '@eaas/sdk/fields';
import { encryptExisting } from '@eaas/sdk/tables';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import type { Benchmark } from './compare.ts';
import { primedClient } from './fields.bench.ts';
import { comparisonOf } from './in-turns.ts';

const size = 50_000;
const fields = defineFields({ members: { email: text({ previous: plaintext() }).searchable() } });

export const benchmark: Benchmark = {
  name: 'existing',
  about:
    'rows per second of `encryptExisting` on PostgreSQL: one column of 100 bytes with one index, beside one UPDATE that writes texts of the same length into the same rows',
  async comparisons(defer) {
    const server = await OwnPostgres.start();
    defer(server.drop);
    const sql = postgres({ ...server.connection('owner'), max: 1, onnotice: () => {} });
    defer(async () => sql.end());
    const client = await primedClient();
    const index = await createIndexKey(client);
    return [
      {
        ...comparisonOf(
          'encryptExisting',
          () => encryptedPerSecond(sql, client, index),
          'plain UPDATE',
          () => updatedPerSecond(sql),
          undefined,
          { rounds: 3, warmUps: 1 },
        ),
        floor: 5_000,
        target: 0,
      },
    ];
  },
};

async function fill(sql: postgres.Sql): Promise<void> {
  await sql`drop table if exists members`;
  await sql`create table members (id bigint primary key, email text not null, email_index text)`;
  await sql`insert into members select n, rpad(n::text || '@', 100, 'example.com/') from generate_series(1, ${size}::int) n`;
  await sql`create index on members (email_index)`;
  await sql`vacuum analyze members`;
}

async function encryptedPerSecond(sql: postgres.Sql, client: EaasClient, index: string): Promise<number> {
  await fill(sql);
  const start = performance.now();
  const { done } = await encryptExisting(
    { query: (statement, values) => sql.unsafe(statement, values) },
    'members',
    {
      client,
      fields,
      index,
    },
  );
  if (!done) throw new Error('the run left rows unencrypted');
  return perSecond(start);
}

async function updatedPerSecond(sql: postgres.Sql): Promise<number> {
  await fill(sql);
  const start = performance.now();
  // A ciphertext of 100 bytes has 352 characters.
  await sql`
    update members set email = 'eaasA' || rpad(md5(email), 347, md5(email)),
      email_index = encode(sha256(email::bytea), 'hex')`;
  return perSecond(start);
}

function perSecond(start: number): number {
  return (size * 1_000) / (performance.now() - start);
}
