import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { formatArray, parseArray } from './sql.ts';

test('an array has the same values after it was formatted and parsed', () => {
  const lists = fc.array(
    fc.oneof(
      fc.constant(null),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('NULL', '', '{', '\\', '"', ','),
    ),
  );
  fc.assert(
    fc.property(lists, (list) => {
      expect(parseArray(formatArray(list))).toEqual(list);
    }),
  );
});

test.each<readonly [text: string, expected: unknown]>([
  ['{}', []],
  ['{a,NULL,"NULL","a \\"b\\" \\\\ c",""}', ['a', null, 'NULL', 'a "b" \\ c', '']],
  ['{{a},{b}}', [['a'], ['b']]],
  ['[0:1]={a,b}', ['a', 'b']],
])('the array %s is parsed', (text, expected) => {
  expect(parseArray(text)).toEqual(expected);
});
