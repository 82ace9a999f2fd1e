import { expect, test } from 'vitest';
import { inTurns } from './signatures.ts';

test('two signatures are verified at once, and then one of each tenant in turn', async () => {
  const { enter, leave } = inTurns(2);
  const entered: string[] = [];
  const all = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map((tenantId, nth) =>
    enter(tenantId).then(() => void entered.push(`${tenantId}${nth}`)),
  );
  await all[1];
  expect(entered).toEqual(['a0', 'a1']);
  for (const next of [2, 4, 6, 3, 5]) {
    leave();
    await all[next];
  }
  expect(entered.slice(2)).toEqual(['a2', 'b4', 'c6', 'a3', 'b5']);
  leave();
  leave();
  await Promise.all([enter('a'), enter('b')]);
});
