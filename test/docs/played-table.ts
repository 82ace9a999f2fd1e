import type { Change, StoredValue } from '@eaas/sdk/reencrypt';

interface Row {
  readonly id: string;
  email: string | null;
}

const emails = ['ada@example.com', 'grace@example.com', 'joan@example.com'];
const rows: Row[] = emails.map((email, index) => ({ id: String(index + 1), email }));

/** Answers the three statements of the documents about `users`, as a driver of PostgreSQL does. */
export async function sql<T extends readonly object[] = { readonly count: string }[]>(
  statement: TemplateStringsArray,
  ...values: unknown[]
): Promise<T & { readonly count: number }> {
  const found = execute(statement.join('?').replace(/\s+/g, ' ').trim(), values);
  return Object.assign(found as unknown as T, { count: found.length });
}

function execute(statement: string, [first, second, third]: unknown[]): object[] {
  switch (statement) {
    case 'select id, email from users where id > ? order by id limit ?':
      return rows.filter(({ id }) => id > String(first)).slice(0, Number(second));
    case 'update users set email = ? where id = ? and email is not distinct from ?': {
      const row = rows.find(({ id, email }) => id === second && email === third);
      if (row) row.email = first as string | null;
      return row ? [row] : [];
    }
    case 'select count(*) from users':
      return [{ count: String(rows.length) }];
    default:
      throw new Error(`no such statement: ${statement}`);
  }
}

/** A table in memory, as `reencrypt` wants to be told of it. */
export function tableOf<Values extends Readonly<Record<string, StoredValue>>>(all: readonly Values[]) {
  let table = all.map((values, index) => ({ id: index + 1, values }));
  return {
    read: async ({ after = 0, limit }: { readonly after: number | undefined; readonly limit: number }) =>
      table.filter(({ id }) => id > after).slice(0, limit),
    async write({ id, values }: Change<{ readonly id: number; readonly values: Values }>): Promise<boolean> {
      table = table.map((row) => (row.id === id ? { id, values } : row));
      return true;
    },
  };
}
