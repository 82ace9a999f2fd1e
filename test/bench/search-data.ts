// The tables of the benchmark `search`: patients with three encrypted columns, and the same patients as plaintext.
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type postgres from 'postgres';
import type { EaasClient } from '@eaas/sdk';
import { createIndexKey, defineFields, field, part, unencrypted } from '@eaas/sdk/fields';

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    // The rows are copies of each other, so their ciphertexts cannot be bound to row ids.
    name: field.text({ context: 'field' }).searchableBy({
      words: part.words({ bits: 64 }),
      start: part.prefixes(3, 8, { bits: 64 }),
    }),
    email: field.text({ context: 'field' }).searchable({ normalize: ['trim', 'lowercase'] }),
    born: field.date({ context: 'field' }).searchableBy({
      month: part.months(),
      range: part.dateRange({ bits: 64 }),
    }),
  },
});

const copies = 20;

/** What a family of 20 rows has in common. Names are of 8 letters, and differ after the first few. */
export function familyOf(family: number) {
  // An odd multiplier permutes the numbers, so neighbours have different names and months.
  let mixed = Math.imul(family + 1, 0x9e3779b1) >>> 0;
  let surname = '';
  for (let at = 0; at < 8; at++) {
    surname += String.fromCharCode(97 + (mixed % 26));
    mixed = Math.floor(mixed / 26) + (at > 5 ? family : 0);
  }
  const born = new Date(Date.UTC(1930, (family * 7) % 1_080, 1 + (family % 28)));
  return { name: `${surname} Ada`, email: `${surname}.${family}@example.com`, born };
}

export type Loaded = Awaited<ReturnType<typeof load>>;

/** Encrypts one row of each family with the SDK, copies it into PostgreSQL, and lets PostgreSQL repeat it. */
export async function load(sql: postgres.Sql, client: EaasClient, size: number) {
  const index = await createIndexKey(client);
  const records = fields.for(client, { index });
  const [cipher, plain] = [`patients_${size}`, `plain_${size}`];
  const families = Math.ceil(size / copies);
  await sql.unsafe(`
    create unlogged table families (family int, name text, email text, born text, name_words_index text,
      name_start_index text, email_index text, born_month_index text, born_range_index text,
      plain_name text, plain_email text, plain_born date)`);
  const stream = await sql`copy families from stdin`.writable();
  for (let first = 0; first < families; first += 1_000) {
    const plainRows = Array.from({ length: Math.min(1_000, families - first) }, (_, at) => ({
      id: first + at,
      ...familyOf(first + at),
    }));
    const rows = await records.encryptRows('patients', plainRows, ({ id }) => id);
    const lines = rows.map((row, at) => {
      const given = plainRows[at];
      const stored = [row.name, row.email, row.born, row.name_words_index, row.name_start_index];
      const indexes = [row.email_index, row.born_month_index, row.born_range_index];
      const known = [given?.name, given?.email, given?.born.toISOString().slice(0, 10)];
      return `${[row.id, ...stored, ...indexes, ...known].join('\t')}\n`;
    });
    if (!stream.write(lines.join(''))) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
  const repeated = `from generate_series(0, ${copies - 1}) copy cross join (select * from families order by family) f`;
  await sql.unsafe(`
    create table ${cipher} as select copy * ${families} + family as id, name, email, born, name_words_index,
      name_start_index, email_index, born_month_index, born_range_index ${repeated};
    create table ${plain} as select copy * ${families} + family as id, plain_name as name, plain_email as email,
      plain_born as born ${repeated};
    drop table families;
    alter table ${cipher} add primary key (id);
    alter table ${plain} add primary key (id);
    create index on ${cipher} (email_index);
    create index on ${cipher} (born_month_index);
    create index on ${cipher} using gin (string_to_array(born_range_index, ' '));
    create index on ${cipher} using gin (string_to_array(name_words_index, ' '));
    create index on ${cipher} using gin (string_to_array(name_start_index, ' '));
    create index on ${plain} (email);
    create index on ${plain} (born);
    create index on ${plain} (name text_pattern_ops);
    create index on ${plain} using gin (to_tsvector('simple', name));`);
  // Statements that are planned before would keep the plans for an empty table.
  await sql.unsafe(`vacuum analyze ${cipher}`);
  await sql.unsafe(`vacuum analyze ${plain}`);
  return { records, cipher: sql(cipher), plain: sql(plain), families, size };
}
