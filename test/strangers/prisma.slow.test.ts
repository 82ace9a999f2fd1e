// A product with Prisma, ids by `cuid()` that its own checks know, and a replica that lags behind by everything.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { withEncryption } from '@eaas/prisma';
import { defineFields } from '@eaas/sdk/fields';
import { requireTools } from '@eaas/test-kit/tools';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { folderOf, generateClient } from '../../packages/prisma/test/generated-client.ts';
import { type Member, runProduct, type Store, succeeds } from './two-versions.ts';

const modelOf = (email: string, index = '') => `
model Member {
  id       String  @id @default(cuid())
  homeCity String
  token    String?
  email    String  ${email}
  ${index}

  @@unique([homeCity, email${index.includes('@unique') ? '_index' : ''}], name: "in_city")
  @@map("members")
}
`;
const schemas = {
  before: modelOf('@unique'),
  first: modelOf('@unique', 'email_index String?'),
  second: modelOf('', 'email_index String? @unique'),
};

/** Clients are generated when the test runs, so that their types are not known here. */
const load = async (file: string) => import(pathToFileURL(file).href);
type Client = Awaited<ReturnType<typeof load>>;

const idCheck = z.object({ id: z.string().cuid() });

/** Reads of the app do not need the replica. */
function storeOf({ member: writing }: Client, { member: reading } = { member: writing }): Store {
  return {
    insert: (data) => writing.create({ data }),
    save: (row) => writing.upsert({ where: { email: row.email }, create: row, update: row }),
    async find(email) {
      if (email === undefined) return reading.findMany();
      const row = (await reading.findUnique({ where: { email } })) as Member | null;
      if (!row) return [];
      const { id } = idCheck.parse(row);
      const inCity = { in_city: { homeCity: row.homeCity, email } };
      expect(await reading.findUnique({ where: inCity })).toMatchObject({ id });
      return [row];
    },
    async update(email, data) {
      const where = { email };
      if (data.homeCity === undefined) return Number(await succeeds(writing.update({ where, data })));
      return ((await writing.updateMany({ where, data })) as { count: number }).count;
    },
    remove: async (email) => Number(await succeeds(writing.delete({ where: { email } }))),
  };
}

/** Sends reads to a replica without a row, as Prisma's extension for replicas does. */
const withReplica = (client: Client): Client =>
  client.$extends({
    query: {
      $allOperations({ args, operation, query, __internalParams: { transaction } }: never) {
        const isRead = !transaction && /^(?:find|count|aggregate|groupBy)/.test(operation);
        if (isRead) return operation === 'findMany' ? [] : null;
        return (query as (given: unknown) => unknown)(args);
      },
    },
  });

test('nothing is lost, and each version finds what it knows, from the first row to the way back', async () => {
  const modules = await requireTools('packages/prisma/test');
  const { PrismaPg } = await load(join(modules, '@prisma/adapter-pg/dist/index.mjs'));
  const columns = 'id text primary key, token text, "homeCity" text not null';
  const { found, members } = await runProduct(columns, async ({ at, eaas, index, stage, email, token }) => {
    const name = stage === 'last' ? 'second' : stage;
    const folder = folderOf(7, `stranger-${name}`);
    await generateClient(7, folder, schemas[name]);
    const { PrismaClient } = await load(join(folder, 'client/client.ts'));
    const client = new PrismaClient({ adapter: new PrismaPg({ ...at, user: at.username, max: 2 }) });
    if (stage === 'before') return { store: storeOf(client) };
    const options = { index, models: { Member: { newId: () => `c${randomBytes(12).toString('hex')}` } } };
    const fields = defineFields({ Member: { email, token } });
    const encrypt = (of: Client): Client => withEncryption(of, eaas, fields, options);
    const reading = encrypt(client);
    return { store: storeOf(encrypt(withReplica(client)), reading), target: [reading, 'Member'] };
  });
  expect(found).toMatchObject(members);
});
