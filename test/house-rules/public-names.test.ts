// What users can import. Each name is one more to learn, and stays after the first release.
import { expect, test } from 'vitest';
import { type Exported, namesIn, publicNames } from './exports.ts';

/** May only go down, but for a feature that brings its own names. */
const mostNames = 278;

/** Of `@eaas/protocol`, without its entries called `internal`. May only go down. */
const mostPromised = 84;

/** Of `@eaas/sdk/internal`. May only go down. */
const mostInternal = 50;

const namesWhere = (isFault: (exported: Exported) => boolean): string[] =>
  publicNames.flatMap(([name, own]) =>
    Array.from(own).flatMap(([of, exported]) => (isFault(exported) ? [`${name}: ${of}`] : [])),
  );

test('users have no more names to learn', () => {
  const all = namesWhere(() => true);
  expect(all.slice(mostNames)).toEqual([]);
  expect(all.length).toBeGreaterThan(200);
});

test('the formats promise no more names, and the other packages need no more of the SDK', () => {
  const promised = Array.from(namesIn('protocol').keys());
  const internal = Array.from(namesIn('sdk', true).keys());
  expect(promised).toEqual(expect.arrayContaining(['seal', 'endpoints', 'nodeEngine', 'sealStream']));
  expect(internal).toContain('coreOf');
  expect(promised.slice(mostPromised)).toEqual([]);
  expect(internal.slice(mostInternal)).toEqual([]);
});

test('each name has a sentence', () => {
  expect(namesWhere(({ comment }) => !/\.\s*(?:\n|\*\/)/.test(comment))).toEqual([]);
});

// test/docs/examples.slow.test.ts compiles and runs them.
test('each function and class has an example', () => {
  const values = namesWhere(({ isValue }) => isValue);
  expect(values.length).toBeGreaterThan(75);
  expect(namesWhere(({ isValue, comment }) => isValue && !/@example\n \* ```ts\n/.test(comment))).toEqual([]);
});
