import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { bareFields } from './bare-fields.ts';
import type { Benchmark, Comparison } from './compare.ts';
import { primedClient } from './fields.bench.ts';
import { familyOf, type Loaded, load } from './search-data.ts';

const sizes = [10_000, 100_000, Number(process.env['SEARCH'] ?? 1_000_000)];
const most = 20;

interface Query {
  readonly name: string;
  /** The least share of the speed of the plaintext query. */
  readonly target: number;
  readonly ours: (call: number, isOpened?: boolean) => Promise<unknown>;
  readonly plain: (call: number) => Promise<unknown>;
}

export const benchmark: Benchmark = {
  name: 'search',
  about:
    'searches that return 20 rows of a table in PostgreSQL, with three columns to decrypt, beside the same searches in plain columns, and large tables beside a small one',
  async comparisons(defer) {
    const server = await OwnPostgres.start('installed', false, { shared_buffers: '1GB' });
    defer(server.drop);
    const sql = postgres({ ...server.connection('owner'), max: 1, onnotice: () => {} });
    defer(async () => sql.end());
    const client = await primedClient();
    const places: { size: number; queries: readonly Query[] }[] = [];
    for (const size of sizes) places.push({ size, queries: queriesOf(sql, await load(sql, client, size)) });
    const [small] = places;
    for (const { queries } of places) for (const query of queries) await requireSame(query);
    const largest = sizes.at(-1)?.toLocaleString('en');
    const beside = places.flatMap(({ size, queries }) =>
      queries.map(({ name, target, ours, plain }): Comparison => ({
        ours: { name: `${name}, ${size.toLocaleString('en')}`, run: (call) => ours(call) },
        reference: { name: 'plain columns', run: plain },
        target,
      })),
    );
    const growth = (places.at(-1)?.queries ?? []).map(({ name, ours }, at): Comparison => ({
      ours: { name: `${name}, ${largest}`, run: (call) => ours(call) },
      reference: {
        name: `${sizes[0]?.toLocaleString('en')} rows`,
        run: (call) => (small?.queries[at]?.ours ?? ours)(call),
      },
      target: 0.8,
    }));
    const open = bareDecryption();
    const besideBare = (places.at(-1)?.queries ?? []).map(({ name, ours, plain }): Comparison => ({
      ours: { name: `${name}, ${largest}`, run: (call) => ours(call) },
      reference: { name: 'plain + node:crypto', run: (call) => plain(call).then(() => open(call)) },
    }));
    const unopened = (places.at(-1)?.queries ?? []).map(({ name, ours, plain }): Comparison => ({
      ours: { name: `${name}, ${largest}, not decrypted`, run: (call) => ours(call, false) },
      reference: { name: 'plain columns', run: plain },
    }));
    return [...beside, ...besideBare, ...unopened, ...growth];
  },
};

/** Decrypts as many values as 20 rows have with `node:crypto` alone: the least that decryption of the rows can take. */
function bareDecryption(): (call: number) => void {
  const wrapped = { keyId: crypto.randomUUID(), keyVersion: 1, wrappedKey: randomBytes(78) };
  const columns = ['name', 'email', 'born'] as const;
  const bare = columns.map((field) => bareFields(randomBytes(32), wrapped, { table: 'patients', field }));
  const rows = Array.from({ length: 2_000 }, (_, at) => {
    const family = familyOf(at);
    return columns.map((column, index) => bare[index]?.seal(String(family[column])) ?? '');
  });
  return (call) => {
    const first = (call * most) % rows.length;
    for (const row of rows.slice(first, first + most))
      for (const [index, stored] of row.entries()) bare[index]?.open(stored);
  };
}

/** A search must find as many rows as the search in plain columns, or the comparison says nothing. */
async function requireSame({ name, ours, plain }: Query): Promise<void> {
  for (let call = 0; call < 5; call++) {
    const [found, wanted] = [Number(await ours(call)), Number(await plain(call))];
    if (found !== wanted || found === 0)
      throw new Error(`${name}: the encrypted search must find ${wanted} rows (got ${found})`);
  }
}

function queriesOf(sql: postgres.Sql, { records, cipher, plain, families, size }: Loaded): Query[] {
  // Visits the families in an order without pattern.
  const family = (call: number) => familyOf((call * 7_919 + 13) % families);
  const columns = sql`id, name, email, born`;
  const count = (rows: readonly unknown[]): number => rows.length;
  const open = async (rows: readonly object[], isOpened: boolean): Promise<number> =>
    count(isOpened ? await records.decryptRows('patients', rows as { id: number }[], ({ id }) => id) : rows);
  const read = async (isOpened: boolean, where: postgres.PendingQuery<postgres.Row[]>) =>
    open(await sql`select ${columns} from ${cipher} where ${where} limit ${most}`, isOpened);
  const readPlain = async (where: postgres.PendingQuery<postgres.Row[]>) =>
    count(await sql`select ${columns} from ${plain} where ${where} limit ${most}`);
  const monthOf = (call: number) => {
    const { born } = family(call);
    const start = (months: number) => new Date(Date.UTC(born.getUTCFullYear(), born.getUTCMonth() + months));
    return {
      from: start(0),
      to: new Date(start(1).getTime() - 1),
      quarterEnd: new Date(start(3).getTime() - 1),
    };
  };
  const day = (moment: Date): string => moment.toISOString().slice(0, 10);
  const fast = 1 / 1.5;
  const ranged = 1 / 2.5;
  return [
    {
      name: 'equality',
      target: fast,
      async ours(call, isOpened = true) {
        const { email_index } = await records.where('patients', { email: family(call).email });
        return read(isOpened, sql`email_index in ${sql(email_index)}`);
      },
      plain: (call) => readPlain(sql`email = ${family(call).email}`),
    },
    {
      name: 'words',
      target: ranged,
      async ours(call, isOpened = true) {
        const [word = ''] = family(call).name.split(' ');
        const { name_words_index } = await records.where('patients', { name: { words: word } });
        return read(
          isOpened,
          sql`string_to_array(name_words_index, ' ') && ${name_words_index[0] ?? []}::text[]`,
        );
      },
      plain: (call) => {
        const [word = ''] = family(call).name.split(' ');
        return readPlain(sql`to_tsvector('simple', name) @@ to_tsquery('simple', ${word})`);
      },
    },
    {
      name: 'prefix of 7 letters',
      target: fast,
      async ours(call, isOpened = true) {
        const { name_start_index } = await records.where('patients', {
          name: { start: family(call).name.slice(0, 7) },
        });
        return read(
          isOpened,
          sql`string_to_array(name_start_index, ' ') && ${name_start_index[0] ?? []}::text[]`,
        );
      },
      plain: (call) => readPlain(sql`name like ${`${family(call).name.slice(0, 7)}%`}`),
    },
    byMonths('month', 'to'),
    byMonths('quarter, by months()', 'quarterEnd'),
    {
      name: 'range of a quarter',
      target: ranged,
      async ours(call, isOpened = true) {
        const { from, quarterEnd: to } = monthOf(call);
        const { born_range_index } = await records.where('patients', { born: { range: { from, to } } });
        return read(
          isOpened,
          sql`string_to_array(born_range_index, ' ') && ${born_range_index[0] ?? []}::text[]`,
        );
      },
      plain: (call) => readBorn(call, 'quarterEnd'),
    },
    {
      name: 'page by id',
      target: fast,
      ours: (call, isOpened = true) => pageOf(call, cipher, (rows) => open(rows, isOpened)),
      plain: (call) => pageOf(call, plain, async (rows) => count(rows)),
    },
  ];

  function readBorn(call: number, end: 'to' | 'quarterEnd'): Promise<number> {
    const { from, [end]: to } = monthOf(call);
    return readPlain(sql`born between ${day(from)} and ${day(to)}`);
  }

  function byMonths(name: string, end: 'to' | 'quarterEnd'): Query {
    return {
      name,
      target: ranged,
      async ours(call, isOpened = true) {
        const { from, [end]: to } = monthOf(call);
        const { born_month_index } = await records.where('patients', { born: { month: { from, to } } });
        return read(isOpened, sql`born_month_index in ${sql(born_month_index)}`);
      },
      plain: (call) => readBorn(call, end),
    };
  }

  async function pageOf(
    call: number,
    table: postgres.Helper<string>,
    use: (rows: readonly object[]) => Promise<number>,
  ): Promise<number> {
    const after = (call * 7_919 * most) % (size - most);
    return use(await sql`select ${columns} from ${table} where id > ${after} order by id limit ${most}`);
  }
}
