// A product with Prisma, ids by `cuid()` that its own checks know, and a replica that lags behind by everything.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inventory, migrate } from '@eaas/migrate';
import { withEncryption } from '@eaas/prisma';
import { defineFields } from '@eaas/sdk/fields';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireTools } from '@eaas/test-kit/tools';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { folderOf, generateClient } from '../../packages/prisma/test/generated-client.ts';
import { type App, fieldsIn, runProduct, type Member, seals, type Stage } from './two-versions.ts';

const modelOf = (email: string, index = '') => `
model Member {
  id    String  @id @default(cuid())
  city  String
  token String?
  email String  ${email}
  ${index}

  @@unique([city, email${index.includes('@unique') ? '_index' : ''}], name: "in_city")
  @@map("members")
}
`;
const schemas = {
  before: modelOf('@unique'),
  older: modelOf('@unique', 'email_index String?'),
  newer: modelOf('', 'email_index String? @unique'),
};
type Row = { readonly id: string } & Member;
interface Delegate {
  create(args: object): Promise<Row>;
  upsert(args: object): Promise<Row>;
  findUnique(args: object): Promise<Row | null>;
  findMany(args?: object): Promise<Row[]>;
  updateMany(args: object): Promise<{ readonly count: number }>;
  update(args: object): Promise<Row>;
  delete(args: object): Promise<Row>;
}
interface Client {
  readonly member: Delegate;
  $extends(extension: object): Client;
  $disconnect(): Promise<void>;
}

const newId = () => `c${randomBytes(12).toString('hex')}`;
const idCheck = z.string().cuid();

/** The code of the product, which is the same in each version but for what encrypts. Reads of the app do not need the replica. */
function appOf(
  { member: writing }: Client,
  { member: reading }: Client,
  { email, token, open } = seals.eaas,
): App {
  const dataOf = (member: Partial<Member>) => ({
    ...(member.email !== undefined && { email: email(member.email) }),
    ...(member.token !== undefined && { token: token(member.token) }),
    ...(member.city !== undefined && { city: member.city }),
  });
  const memberOf = (row: Row): Member => {
    idCheck.parse(row.id);
    return { email: open(row.email) ?? '', token: open(row.token), city: row.city };
  };
  const orNone = (code: string) => (error: unknown) => {
    if ((error as { code?: unknown }).code !== code) throw error;
    return false as const;
  };
  return {
    add: async (member) => writing.create({ data: dataOf(member) }).then(() => true, orNone('P2002')),
    async save(member) {
      const create = dataOf(member);
      await writing.upsert({ where: { email: create.email }, create, update: create });
    },
    async find(given) {
      const row = await reading.findUnique({ where: { email: email(given) } });
      const inCity = row && { in_city: { city: row.city, email: email(given) } };
      expect(inCity && (await reading.findUnique({ where: inCity }))?.id).toBe(row?.id ?? null);
      return row ? [memberOf(row)] : [];
    },
    async change(given, to) {
      const where = { email: email(given) };
      if (to.city !== undefined) return (await writing.updateMany({ where, data: dataOf(to) })).count;
      return Number(await writing.update({ where, data: dataOf(to) }).then(() => true, orNone('P2025')));
    },
    remove: async (given) =>
      Number(await writing.delete({ where: { email: email(given) } }).then(() => true, orNone('P2025'))),
    all: async () => (await reading.findMany()).map(memberOf),
  };
}

let sql: postgres.Sql;
let clients: Readonly<Record<keyof typeof schemas, Client>>;
let replica: Client;

beforeAll(async () => {
  const modules = await requireTools('packages/prisma/test');
  const load = async (file: string) =>
    import(pathToFileURL(file).href) as Promise<{
      readonly PrismaPg: new (options: object) => object;
      readonly PrismaClient: new (options: object) => Client;
    }>;
  const { PrismaPg } = await load(join(modules, '@prisma/adapter-pg/dist/index.mjs'));
  const databases = [await createDatabase(), await createDatabase()] as const;
  const [primary, lagging] = databases.map(({ connection }) => connection('owner'));
  const opened: Client[] = [];
  const openOn = async (name: keyof typeof schemas, at = primary) => {
    const folder = folderOf(7, `stranger-${name}`);
    await generateClient(7, folder, schemas[name]);
    const { PrismaClient } = await load(join(folder, 'client/client.ts'));
    const { host, port, database, username: user } = at as NonNullable<typeof at>;
    const adapter = new PrismaPg({ host, port, database, user, max: 2 });
    opened.push(new PrismaClient({ adapter }));
    return opened.at(-1) as Client;
  };
  clients = { before: await openOn('before'), older: await openOn('older'), newer: await openOn('newer') };
  replica = await openOn('newer', lagging);
  sql = postgres({ ...primary, max: 1, onnotice: () => {} });
  const other = postgres({ ...lagging, max: 1 });
  await sql`create table members (id text primary key, city text not null, token text, email text not null)`;
  await other`create table members (id text primary key, city text not null, token text, email text not null, email_index text)`;
  await other.end();
  return async () => {
    await Promise.all(opened.map((client) => client.$disconnect()));
    await sql.end();
    for (const { drop } of databases) await drop();
  };
});

/** Sends reads to the replica, as Prisma's extension for replicas does. */
const withReplica = (client: Client): Client =>
  client.$extends({
    query: {
      $allOperations({ args, model, operation, query, __internalParams: { transaction } }: never) {
        const isRead = !transaction && /^(?:find|count|aggregate|groupBy)/.test(operation);
        return isRead
          ? replica[String(model).toLowerCase() as 'member'][operation as 'findMany'](args)
          : (query as (given: unknown) => unknown)(args);
      },
    },
  });

test('nothing is lost, and each version finds what it knows, from the first row to the way back', async () => {
  const { eaas, index, keyId } = await createClient();
  const clientIn = (stage: Stage) => (stage === 'first' ? clients.older : clients.newer);
  const open = (stage: Stage, client = clientIn(stage)) =>
    withEncryption(client, eaas, defineFields({ Member: fieldsIn(stage) }), {
      index,
      models: { Member: { newId } },
    }) as unknown as Client;
  const { found, members } = await runProduct({
    before: appOf(clients.before, clients.before, seals.before),
    appIn: (stage) => appOf(open(stage, withReplica(clientIn(stage))), open(stage)),
    run: (stage, mode) => migrate(open(stage) as never, 'Member', mode, { client: eaas }),
    look: (stage) => inventory(open(stage) as never, 'Member', { client: eaas }),
    sql: (statement) => sql.unsafe(statement),
    rotate: () => eaas.keys.rotate({ key_id: keyId }),
    unique: ['email', 'city, email'],
  });
  expect(found).toEqual(members);
});
