// The outcomes of all operations in all dialects, which the tests of the dialects write, as docs/operations.md has them.
import { read } from '@eaas/test-kit/markdown';
import { grouped, pageOf } from '@eaas/test-kit/outcomes';
import { kinds, titles } from './kinds.ts';

type Outcomes = Readonly<Record<string, Readonly<Record<string, string>>>>;
const dialects = ['PostgreSQL', 'MySQL', 'SQLite'];

/** A shape with other outcomes in another dialect has a row for each. */
export function operationsOfDrizzle(): string {
  const found = dialects.flatMap((dialect) => {
    const all = JSON.parse(read(`packages/drizzle/test/outcomes/${dialect}.json`)) as Outcomes;
    return Object.entries(all).flatMap(([operation, shapes]) =>
      Object.entries(shapes).map(([shape, outcomes]) => ({ dialect, operation, shape, outcomes })),
    );
  });
  const sections = grouped(found, ({ operation }) => operation).map((ofOne) => {
    const rows = grouped(ofOne, ({ shape, outcomes }) => `${shape}: ${outcomes}`).map((same) => {
      const [{ shape, outcomes }] = same;
      const within = ` (${same.map(({ dialect }) => dialect).join(', ')})`;
      return { title: same.length < dialects.length ? shape + within : shape, outcomes: outcomes.split(' ') };
    });
    return { title: ofOne[0].operation, rows };
  });
  return pageOf(
    sections,
    kinds.map((kind) => titles[kind]),
  );
}
