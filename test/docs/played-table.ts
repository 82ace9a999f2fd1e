import type { Change, StoredValue } from '@eaas/sdk/reencrypt';

interface Row {
  readonly id: string;
  email: string | null;
  email_index: string | null;
}

const emails = ['ada@example.com', 'grace@example.com', 'joan@example.com'];
const rows: Row[] = emails.map((email, index) => ({ id: String(index + 1), email, email_index: null }));

type Patient = Record<string, string | null>;

const filled = (id: string, email: string, born: string | null): Patient => ({
  id,
  email,
  born,
  notes: '{"tags": ["vip"]}',
  email_new: null,
  email_index: null,
  born_new: null,
  notes_new: null,
});
const patients = [
  filled('1', 'ada@example.com', '1815-12-10'),
  filled('2', 'grace@example.com', null),
  filled('3', 'joan@example.com', '1917-06-24'),
];

export async function sql<T extends readonly object[] = { readonly count: string }[]>(
  statement: TemplateStringsArray,
  ...values: unknown[]
): Promise<T & { readonly count: number }> {
  const found = execute(statement.join('?').replace(/\s+/g, ' ').trim(), values);
  return Object.assign(found as unknown as T, { count: found.length });
}

function execute(statement: string, values: unknown[]): object[] {
  const [first, second, third, fourth] = values;
  switch (statement) {
    case 'select id, email from users where id > ? order by id limit ?':
      return rows.filter(({ id }) => id > String(first)).slice(0, Number(second));
    case 'update users set email = ? where id = ? and email is not distinct from ?':
      return updateUser(second, third, { email: first as string | null });
    case 'update users set email = ?, email_index = ? where id = ? and email is not distinct from ?':
      if (!/^[\da-f]{64}$/.test(String(second)))
        throw new Error(
          'the job must set `email_index` to a fingerprint of 64 hex digits (got another value)',
        );
      return updateUser(third, fourth, { email: first as string | null, email_index: String(second) });
    case 'select count(*) from users':
      return [{ count: String(rows.length) }];
    case 'select id, email, born::text, notes::text, email_new, email_index, born_new, notes_new from patients where id > ? order by id limit ?':
      return patients.filter(({ id }) => String(id) > String(first)).slice(0, Number(second));
    case 'update patients set email_new = ?, email_index = ?, born_new = ?, notes_new = ? where id = ? and email is not distinct from ? and born::text is not distinct from ? and notes::text is not distinct from ?':
      return updatePatient(values as (string | null)[]);
    default:
      throw new Error(`no such statement: ${statement}`);
  }
}

function updateUser(id: unknown, expected: unknown, values: Partial<Row>): object[] {
  const row = rows.find((each) => each.id === id && each.email === expected);
  return row ? [Object.assign(row, values)] : [];
}

function updatePatient(values: readonly (string | null)[]): object[] {
  const [email_new = null, email_index = null, born_new = null, notes_new = null, ...expected] = values;
  const row = patients.find(({ id, email, born, notes }) =>
    [id, email, born, notes].every((value, at) => value === expected[at]),
  );
  return row ? [Object.assign(row, { email_new, email_index, born_new, notes_new })] : [];
}

export function tableOf<Values extends Readonly<Record<string, StoredValue>>>(all: readonly Values[]) {
  let table = all.map((values, index) => ({ id: index + 1, values }));
  return {
    /** The rows as the app selects them. */
    page: async () => table.map(({ id, values }) => ({ id, ...values })),
    read: async ({ after = 0, limit }: { readonly after: number | undefined; readonly limit: number }) =>
      table.filter(({ id }) => id > after).slice(0, limit),
    async write({ id, values }: Change<{ readonly id: number; readonly values: Values }>): Promise<boolean> {
      table = table.map((row) => (row.id === id ? { id, values } : row));
      return true;
    },
  };
}
