import { reencrypt, type Store } from '@eaas/sdk/reencrypt';
import type { ProgramScene } from './administration-cases.ts';
import type { Case } from './case.ts';
import { same } from './expect.ts';

interface Row {
  readonly id: number;
  readonly values: { readonly email: string };
}

/** A table of an app that encrypts its fields afterwards. */
export const reencryptCases: readonly Case<ProgramScene>[] = [
  {
    name: 'a table of plaintexts becomes one of ciphertexts, page by page',
    run: async ({ connect }) => {
      const client = connect();
      const table = new Map(Array.from({ length: 25 }, (_, index) => [index + 1, `${index}@example.com`]));
      const store: Store<Row> = {
        read: async ({ after = 0, limit }) =>
          Array.from(table, ([id, email]) => ({ id, values: { email } })).slice(after, after + limit),
        write: async ({ id, expected, values }) => {
          const stands = table.get(id) === expected.email;
          if (stands) table.set(id, values.email);
          return stands;
        },
      };
      let pages = 0;
      for await (const { done } of reencrypt(client, store, { mode: 'encrypt', to: {}, pageSize: 10 })) {
        pages++;
        same(done, pages === 4, 'whether it is done');
      }
      const texts = await Promise.all(Array.from(table.values(), (stored) => client.decryptText(stored)));
      same(
        texts,
        Array.from({ length: 25 }, (_, index) => `${index}@example.com`),
        'the table',
      );
      await client.close();
    },
  },
];
