// What a hostile service or a superuser of the database wrote, on the terminal of an operator.
import { expect, test, vi } from 'vitest';
import { verdictOf } from './audit-verify.ts';
import { showCheckpoint } from './calls.ts';

const escape = '\u001b';
const control = `${escape}[2K${escape}[1A\u0007\u202e`;
const hiddenCharacters = [escape, '\u0007', '\u202e'];

test('a checkpoint of a hostile service moves no cursor and rings no bell', () => {
  let printed = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
  }

  showCheckpoint({ checkpoint: `origin${control}\n7\nhash\n`, verifier_key: `key${control}` } as never, {});
  vi.restoreAllMocks();

  expect(printed).toContain(String.raw`origin\u001b[2K\u001b[1A\u0007\u202e` + '\n7\nhash\n');
  for (const hidden of hiddenCharacters) expect(printed).not.toContain(hidden);
});

test('an id that is a text in the database hides no verdict', () => {
  const id = `1\n${control}acme: valid, 3 entries checked` as unknown as number;
  const head = { id: 3, hash: '', verifier_key: '' };

  const said = verdictOf('acme', { valid: false, checked: 3, head, errors: [{ id, reason: 'key_changed' }] });

  expect(said).toMatch(/^acme: BROKEN, 3 entries checked, head 3\n {2}entry 1[^\n]*: key_changed\n$/);
  for (const hidden of hiddenCharacters) expect(said).not.toContain(hidden);
});
