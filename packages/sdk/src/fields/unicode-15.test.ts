import { expect, test } from 'vitest';
import { stepHashes, stepHashesOf } from '../../test/runtimes/unicode.ts';
import { part } from './fields.ts';

test('a fingerprint does not depend on the Unicode of the runtime: each step makes the same of every code point', async () => {
  expect(await stepHashesOf(part)).toEqual(stepHashes);
});
