import { expect, test } from 'vitest';
import { snippets } from '../playground/snippets.ts';
import { highlight } from './highlight.ts';
import { counted, sentence, short } from './texts.ts';
import { fromNow } from './times.ts';

test.each(Object.entries(snippets))(
  'the highlighted parts of the snippet `%s` together contain its whole code',
  (_, code) => {
    const pieces = highlight(code);
    expect(pieces.map(({ text }) => text).join('')).toBe(code);
    expect(pieces.some(({ kind }) => kind === 'word')).toBe(true);
  },
);

test('the highlighter gives keywords, strings and comments different colours', () => {
  const kinds = highlight("const x = 'new'; // 1").map(({ text, kind }) => [text, kind ?? 'plain']);
  expect(kinds).toEqual([
    ['const', 'word'],
    [' x = ', 'plain'],
    ["'new'", 'text'],
    ['; ', 'plain'],
    ['// 1', 'remark'],
  ]);
});

test('`short` shortens an id, `counted` adds a noun to a number, and `sentence` makes a message a sentence', () => {
  expect([short('abcdefghij'), short('abc')]).toEqual(['abcdefgh…', 'abc']);
  expect([counted(1, 'entry', 'entries'), counted(2_000, 'entry', 'entries')]).toEqual([
    '1 entry',
    '2,000 entries',
  ]);
  expect([sentence('the key is gone'), sentence('Is it?')]).toEqual(['The key is gone.', 'Is it?']);
});

test('`fromNow` says how long ago a time was, or how far ahead it is', () => {
  const now = Date.parse('2026-11-20T12:00:00Z');
  expect(fromNow(new Date(now - 30_000), now)).toBe('just now');
  expect(fromNow(new Date(now - 3 * 3_600_000), now)).toBe('3 hours ago');
  expect(fromNow(new Date(now - 86_400_000), now)).toBe('yesterday');
  expect(fromNow(new Date(now + 30_000), now)).toBe('in less than a minute');
  expect(fromNow(new Date(now + 90 * 86_400_000), now)).toBe('in 3 months');
});
