// Two versions of an app on one table, which take turns: what one does, the other must find. `Members` is what the table must hold.
import * as fc from 'fast-check';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { Inventory, Migration, MigrateMode } from '@eaas/migrate';
import { field, plaintext } from '@eaas/sdk/fields';
import { expect } from 'vitest';

export interface Member {
  readonly email: string;
  readonly token: string | null;
  readonly city: string;
}

/** A version of the app. Two members never have one e-mail. */
export interface App {
  /** Returns whether there was no such member. */
  add(member: Member): Promise<boolean>;
  /** Adds a member, or changes the one that is there. */
  save(member: Member): Promise<void>;
  find(email: string): Promise<Member[]>;
  /** Returns how many members were changed. */
  change(email: string, to: Partial<Member>): Promise<number>;
  remove(email: string): Promise<number>;
  all(): Promise<Member[]>;
}

const email = fc.integer({ min: 1, max: 6 }).map((n) => `Member${n}@example.com`);
const token = fc.option(fc.string({ minLength: 1, maxLength: 40 }));
const step = fc.record({
  at: fc.nat(1),
  does: fc.constantFrom('add', 'save', 'find', 'find', 'change', 'move', 'move', 'remove', 'remove'),
  email,
  to: email,
  token,
  city: fc.constantFrom('Bern', 'Rome'),
});

type Members = Map<string, Member>;

/** Lets the versions do as many things, by chance who does what, and compares each answer, and at the end the whole table. */
async function takeTurns(
  members: Members,
  [first, second]: readonly [App, App],
  count: number,
): Promise<void> {
  for (const { at, does, email, to, token, city } of fc.sample(step, count)) {
    const app = at === 0 ? first : second;
    const member = { email, token, city };
    const known = members.get(email);
    const found = known ? 1 : 0;
    const isFree = !members.has(to);
    if (does === 'add') expect([does, await app.add(member)]).toEqual([does, !known]);
    else if (does === 'save') await app.save(member);
    else if (does === 'find') expect([does, await app.find(email)]).toEqual([does, known ? [known] : []]);
    else if (does === 'change')
      expect([does, await app.change(email, { token, city })]).toEqual([does, found]);
    else if (does === 'remove') expect([does, await app.remove(email)]).toEqual([does, found]);
    else if (isFree) expect([does, await app.change(email, { email: to })]).toEqual([does, found]);
    if (does === 'remove' || (does === 'move' && isFree)) members.delete(email);
    if (does === 'move' && known && isFree) members.set(to, { ...known, email: to });
    if (does === 'save' || (does === 'add' && !known) || (does === 'change' && known))
      members.set(email, member);
  }
  for (const app of [first, second]) await expectAll(members, app);
}

const sorted = (all: Iterable<Member>) =>
  [...all].toSorted((one, other) => (one.email < other.email ? -1 : 1));

async function expectAll(members: Members, app: App): Promise<void> {
  expect(sorted(await app.all())).toEqual(sorted(members.values()));
}

/**
 * The stages of the app with Eaas: the first still writes the older form, the second reads it, and the last knows only
 * ciphertexts.
 */
export type Stage = 'first' | 'second' | 'last';

/** The product as the journey needs it. */
export interface Product {
  readonly before: App;
  readonly appIn: (stage: Stage) => App;
  readonly run: (stage: Stage, mode: MigrateMode) => Promise<Migration>;
  readonly look: (stage: Stage) => Promise<Inventory>;
  readonly sql: (statement: string) => Promise<unknown>;
  readonly rotate: () => Promise<unknown>;
  /** The columns of its unique constraints. */
  readonly unique: readonly string[];
}

/**
 * Takes a product from its first row to Eaas and back. In each stage, two versions run, as during a deploy. Returns what the version
 * before then finds, and what it should.
 */
export async function runProduct({ before, appIn, run, look, sql, rotate, unique }: Product) {
  const members: Members = new Map();
  const turns = async (apps: [App, App], count: number) => takeTurns(members, apps, count);
  const alter = async (change: (columns: string, name: string) => string) => {
    for (const [at, columns] of unique.entries())
      await sql(`alter table members ${change(columns, `unique_${at}`)}`);
  };
  const onIndex = (columns: string) => columns.replace('email', 'email_index');
  await alter((columns, name) => `add constraint ${name} unique (${columns})`);
  await turns([before, before], 30);

  // The version before still runs.
  await sql('alter table members add column email_index text');
  await turns([before, appIn('first')], 250);
  await run('first', 'index');
  await turns([before, appIn('first')], 250);

  // It does not any more.
  expect(await run('first', 'index')).toMatchObject({ done: true });
  const next = expect.stringContaining('stage 2 may begin') as unknown;
  expect(await look('first')).toMatchObject({ unindexed: 0, next });
  await alter((columns, name) => `add constraint ${name}_index unique (${onIndex(columns)})`);
  await turns([appIn('first'), appIn('second')], 150);
  await run('second', 'encrypt');
  await turns([appIn('first'), appIn('second')], 150);

  // Nor does the first stage.
  expect(await run('second', 'encrypt')).toMatchObject({ done: true });
  const end = expect.stringContaining('remove `previous`') as unknown;
  expect(await look('second')).toMatchObject({ plaintexts: 0, next: end });
  await alter((_, name) => `drop constraint ${name}`);
  await rotate();
  expect(await run('last', 'rewrap')).toMatchObject({ done: true });
  await turns([appIn('second'), appIn('last')], 100);

  // The way back.
  await alter((columns, name) => `add constraint ${name} unique (${columns})`);
  for (const member of members.values()) await appIn('first').change(member.email, member);
  return { found: sorted(await before.all()), members: sorted(members.values()) };
}

/** What encrypts tokens before Eaas, to another text or other bytes each time. */
interface OldTokens {
  readonly seal: (text: string) => string | Uint8Array;
  readonly open: (stored: unknown) => string;
}

/** The fields of a stage: one that is searched, and one whose older form differs each time. */
export function fieldsIn(stage: Stage, tokens: OldTokens = { seal: (text) => sealOld(text), open: openOld }) {
  const isFirst = stage === 'first';
  const email = plaintext(openOld, isFirst ? { write: (value) => sealOld(value, true) } : {});
  const token = plaintext(tokens.open, isFirst ? { write: tokens.seal } : {});
  const isLast = stage === 'last';
  return {
    email: field.text(isLast ? {} : { previous: email }).searchable(),
    token: field.text(isLast ? {} : { previous: token }),
  };
}

/** What the code of a product calls for its values: the version before has the first, and the others nothing. */
export const seals = {
  before: {
    email: (value: string) => sealOld(value, true),
    token: (value: string | null) => value && sealOld(value),
    open: (value: string | null) => value && openOld(value),
  },
  eaas: { email: itself<string>, token: itself<string | null>, open: itself<string | null> },
};

function itself<T>(value: T): T {
  return value;
}

const key = createHash('sha256').update('an old key').digest();

/** What the app before has for its values: AES-256-GCM in hex, with an iv that is random, or made of the text for equal ones. */
function sealOld(text: string, isSearched = false): string {
  const iv = isSearched
    ? createHash('sha256').update(key).update(text).digest().subarray(0, 12)
    : randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [iv, cipher.getAuthTag(), sealed].map((part) => part.toString('hex')).join(':');
}

function openOld(stored: unknown): string {
  const [iv, tag, sealed] = String(stored)
    .split(':')
    .map((part) => Buffer.from(part, 'hex')) as [Buffer, Buffer, Buffer];
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
}
