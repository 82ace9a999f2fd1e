// Two versions of a product on one table, which take turns: what one does, the other must find.
import * as fc from 'fast-check';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { inventory, migrate, type MigrateMode } from '@eaas/migrate';
import { field, plaintext } from '@eaas/sdk/fields';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import postgres from 'postgres';
import { expect } from 'vitest';

export interface Member {
  readonly email: string;
  readonly token: string | null;
  readonly homeCity: string;
}

/** What a version does with its rows, by its library. In those before Eaas, the product has encrypted the values itself. */
export interface Store<Row extends Member = Member> {
  /** Finds all rows, or the one with an e-mail. */
  find(email?: string): Promise<readonly Row[]>;
  insert(row: Row): Promise<unknown>;
  /** Inserts a row, or updates the one that is there. */
  save(row: Row): Promise<unknown>;
  /** Returns how many rows were updated. */
  update(email: string, row: Partial<Member>): Promise<number>;
  remove(email: string): Promise<number>;
}

/** Whether a statement does not fail for a row that is there, or that is missing. */
export async function succeeds(statement: PromiseLike<unknown>): Promise<boolean> {
  try {
    await statement;
    return true;
  } catch (error) {
    if (!/code: '(?:23505|P2002|P2025)'/.test(inspect(error))) throw error;
    return false;
  }
}

/** Returns a function that changes the values of a row which the product encrypts. */
const changing =
  (email: (value: string) => string, token = email) =>
  <Row extends Partial<Member>>(row: Row): Row => ({
    ...row,
    ...(row.email && { email: email(row.email) }),
    ...(row.token && { token: token(row.token) }),
  });
const itself = (value: string): string => value;

/** The code of the product, which is the same in each version but for what encrypts. */
function appOf(store: Store, sealEmail = itself, sealToken = itself, open = itself): Store {
  const sealed = changing(sealEmail, sealToken);
  return {
    find: async (email) => (await store.find(email && sealEmail(email))).map(changing(open)),
    insert: (member) => succeeds(store.insert(sealed(member))),
    save: async (member) => void (await store.save(sealed(member))),
    update: (email, to) => store.update(sealEmail(email), sealed(to)),
    remove: (email) => store.remove(sealEmail(email)),
  };
}

/** What the table must hold. */
class Members extends Map<string, Member> implements Store {
  find = async (email?: string) => [...this.values()].filter((each) => !email || each.email === email);
  insert = async (member: Member) => !this.has(member.email) && this.set(member.email, member) === this;
  save = async (member: Member) => void this.set(member.email, member);
  async update(email: string, to: Partial<Member>) {
    const known = this.get(email);
    if (known && this.delete(email)) await this.save({ ...known, ...to });
    return known ? 1 : 0;
  }
  remove = async (email: string) => Number(this.delete(email));
}

const email = fc.integer({ min: 1, max: 5 }).map((n) => `Member${n}@example.com`);
const token = fc.option(fc.string({ minLength: 1, maxLength: 40 }));
const step = fc.record({
  at: fc.nat(1),
  does: fc.constantFrom('insert', 'save', 'find', 'find', 'change', 'move', 'move', 'remove', 'remove'),
  to: email,
  member: fc.record({ email, token, homeCity: fc.constantFrom('Bern', 'Rome') }),
});
// Drawn at once, because the seed can be a fixed one.
const steps = fc.sample(step, 930);

/** Lets two apps do things by chance, and compares each answer, and at the end the whole table. */
async function takeTurns(members: Members, apps: readonly [Store, Store], given: typeof steps) {
  for (const { at, does, to, member } of given) {
    const { email, ...others } = member;
    const act = async (app: Store): Promise<unknown> => {
      if (does === 'change') return app.update(email, others);
      // Two members never have one e-mail.
      if (does === 'move') return !members.has(to) && app.update(email, { email: to });
      return does === 'insert' || does === 'save' ? app[does](member) : app[does](email);
    };
    expect([does, await act(apps[at] as Store)]).toMatchObject([does, await act(members)]);
  }
  for (const app of apps) expect(await allOf(app)).toMatchObject(await allOf(members));
}

const allOf = async (app: Store) =>
  [...(await app.find())].toSorted((one, other) => (one.email < other.email ? -1 : 1));

/**
 * The stages of the app: the first with Eaas still writes the older form, the second reads it, and the last knows only ciphertexts.
 */
type Stage = 'before' | 'first' | 'second' | 'last';

/** The fields of a stage: one that is searched, and one whose older form differs each time. */
function fieldsIn(stage: Stage, seal: (text: string) => string) {
  const previous = (write: (text: string) => string) =>
    stage === 'last' ? {} : { previous: plaintext(openOld, stage === 'first' ? { write } : {}) };
  return { email: field.text(previous(sealEmail)).searchable(), token: field.text(previous(seal)) };
}

/** Where a version of the product runs, and its fields. */
export interface Place extends ReturnType<typeof fieldsIn>, Pick<Client, 'eaas' | 'index'> {
  readonly at: { host: string; port: number; database: string; username: string };
  readonly sql: postgres.Sql;
  readonly stage: Stage;
}
type Client = Awaited<ReturnType<typeof createClient>>;

/** A version of the product. `target` are the arguments of `migrate`. */
interface Version {
  readonly store: Store;
  readonly target?: readonly [database: object, table: unknown, options?: object];
}

/**
 * Takes a product from its first row to Eaas and back. In each stage, two versions run, as during a deploy. Returns what the version
 * before then finds, and what it should. `columns` are those of its table but for `email`.
 */
export async function runProduct(columns: string, open: (place: Place) => Promise<Version>) {
  const { connection } = await closing(createDatabase(), ({ drop }) => drop());
  const options = { ...connection('owner'), max: 2, onnotice: () => {} };
  const sql = await closing(postgres(options), (opened) => opened.end());
  await sql.unsafe(`create table members (email text not null, ${columns})`);
  const { eaas, index, keyId } = await createClient();
  const place = { eaas, index, sql, at: connection('owner') };
  const hasBytes = columns.includes('bytea');
  const seal = (text: string) => (hasBytes ? sealOld(text) : sealOld(text).toString('hex')) as string;
  async function openIn(stage: Stage) {
    const { store, target = [] } = await open({ ...place, stage, ...fieldsIn(stage, seal) });
    const [database, table, more] = target as readonly [never, never, object?];
    const options = { client: eaas, ...more };
    const run = async (mode: MigrateMode) => migrate(database, table, mode, options);
    const app = stage === 'before' ? appOf(store, sealEmail, seal, openOld) : appOf(store);
    return { app, run, look: async () => inventory(database, table, options) };
  }
  const { app: before } = await openIn('before');
  const [first, second, last] = [await openIn('first'), await openIn('second'), await openIn('last')];
  const members = new Members();
  await sql`create unique index by_email on members (email)`;
  await takeTurns(members, [before, before], steps.slice(0, 30));

  // The version before still runs.
  await sql`alter table members add column email_index text`;
  await takeTurns(members, [before, first.app], steps.slice(30, 280));
  await first.run('index');
  await takeTurns(members, [before, first.app], steps.slice(280, 530));

  // It does not any more.
  expect(await first.run('index')).toMatchObject({ done: true });
  expect(await first.look()).toMatchObject({ unindexed: 0 });
  await sql`create unique index by_index on members (email_index)`;
  await takeTurns(members, [first.app, second.app], steps.slice(530, 680));
  await second.run('encrypt');
  await takeTurns(members, [first.app, second.app], steps.slice(680, 830));

  // Nor does the first stage. The app itself converts bytes, which no migration does.
  if (hasBytes) for (const { email, token } of members.values()) await second.app.update(email, { token });
  expect(await second.run('encrypt')).toMatchObject({ done: true });
  const next = expect.stringContaining('remove `previous`') as unknown;
  expect(await second.look()).toMatchObject({ plaintexts: 0, next });
  await sql`drop index by_email`;
  await eaas.keys.rotate(keyId);
  expect(await last.run('rewrap')).toMatchObject({ done: true });
  await takeTurns(members, [second.app, last.app], steps.slice(830, 930));

  // The way back.
  await sql`create unique index by_email on members (email)`;
  for (const member of members.values()) await first.app.update(member.email, member);
  return { found: await allOf(before), members: await allOf(members) };
}

const key = randomBytes(32);

/** What the version before has for its values: AES-256-CBC, with an iv that is random, or made of the text for equal ones. */
function sealOld(text: string, iv = randomBytes(16)): Buffer {
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(text), cipher.final()]);
}

export const sealEmail = (email: string): string =>
  sealOld(email, createHash('sha256').update(key).update(email).digest().subarray(0, 16)).toString('hex');

function openOld(stored: unknown): string {
  const bytes = typeof stored === 'string' ? Buffer.from(stored, 'hex') : (stored as Buffer);
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString();
}
