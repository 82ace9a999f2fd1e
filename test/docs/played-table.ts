import type { Change, StoredValue } from '@eaas/sdk/reencrypt';

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
