// Two versions of an app on one table, which take turns: what one does, the other must find. `Members` is what the table must hold.
import * as fc from 'fast-check';
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
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

export type Members = Map<string, Member>;

/** Lets the versions do as many things, by chance who does what, and compares each answer, and at the end the whole table. */
export async function takeTurns(
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

export async function expectAll(members: Members, app: App): Promise<void> {
  const sorted = (all: Iterable<Member>) =>
    [...all].toSorted((one, other) => (one.email < other.email ? -1 : 1));
  expect(sorted(await app.all())).toEqual(sorted(members.values()));
}

const key = createHash('sha256').update('an old key').digest();

/** What the app before has for its values: AES-256-GCM in hex, with an iv that is random, or made of the text for equal ones. */
export function sealOld(text: string, isSearched = false): string {
  const iv = isSearched
    ? createHash('sha256').update(key).update(text).digest().subarray(0, 12)
    : randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return [iv, cipher.getAuthTag(), sealed].map((part) => part.toString('hex')).join(':');
}

export function openOld(stored: unknown): string {
  const [iv, tag, sealed] = String(stored)
    .split(':')
    .map((part) => Buffer.from(part, 'hex')) as [Buffer, Buffer, Buffer];
  const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString();
}
