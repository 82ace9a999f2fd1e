// Key files and the variable, against a second implementation: test/vectors/columns.py.
import { toBase64 } from '@eaas/protocol/internal-base64';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { expect, test } from 'vitest';
import { passphraseOpener } from './file-opener.ts';
import { formatKeyFile, type KeyFile, openKeyFile, withOpened } from './key-file-format.ts';
import { type Opener, unlocked } from './opener.ts';
import { formatSealed, openSealed } from './sealed.ts';

const { tenant_id, secret, material, people, locks, absent, refusals, variable } = vectors('key-file');
const open = (text: string, opener: Opener = unlocked): KeyFile => openKeyFile('the file', text, opener);
const base64 = (data: Uint8Array | null) => data && toBase64(data);

/** The secrets in a file, as the vectors have them. */
function secretsIn(file: KeyFile) {
  const { keys, subjects } = withOpened(file, (_, opened) => base64(opened));
  return {
    tenant_id: file.tenantId,
    secret: base64(file.secret),
    material: keys.map(({ hash_key, versions }) => [hash_key, versions.map(({ sealed }) => sealed)].flat()),
    people: subjects.map(({ sealed }) => sealed),
  };
}

const printing = (key: string): Opener => ({
  kind: 'key',
  newLock: () => ({ kind: 'key' }),
  keyFor: () => bytes(key),
});
const openersOf = ({ passphrases, printed }: (typeof locks)[number]): Opener[] =>
  passphrases?.map(passphraseOpener) ?? [printed ? printing(printed) : unlocked];

test.each(locks)('a key file with the lock $kind opens, and is written as it was', (lock) => {
  for (const opener of openersOf(lock)) {
    const file = open(lock.text, opener);
    expect(secretsIn(file)).toEqual({ tenant_id, secret, material, people });
    expect(formatKeyFile(file)).toBe(lock.text);
  }
  for (const other of lock.others ?? []) {
    expect(() => open(lock.text, passphraseOpener(other))).toThrow('does not open');
  }
});

test('a key file without what has a default opens, and gets it with the next change', () => {
  expect(formatKeyFile(open(absent.text))).toBe(absent.written);
});

test.each(Object.entries(refusals))('a key file with %s is refused', (what, text) => {
  const said = what.startsWith('a member ') ? /an unknown `[a-z.]*note`/ : /another version|has no `/;
  expect(() => open(text)).toThrow(said);
});

test('the variable of the vector opens, and is written as it was', () => {
  const file = openSealed(variable.text);
  expect(secretsIn(file)).toMatchObject({ secret: variable.secret, material: [variable.material] });
  expect(file.keys.map(({ key_id }) => key_id)).toEqual([variable.key_id]);
  expect(formatSealed(file)).toBe(variable.text);
});
