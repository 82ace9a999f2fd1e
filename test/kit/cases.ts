import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    everyCase: boolean;
  }
}

const everyCase = inject('everyCase');

/** The number of random cases of a test: `all` in `npm run test:all`, otherwise a tenth of them. */
export const runs = (all: number): number => (everyCase ? all : Math.ceil(all / 10));

/** Returns all `cases` in `npm run test:all`, otherwise about `few` evenly spaced cases with the first and the last. */
export function some<T>(few: number, cases: readonly T[]): readonly T[] {
  // The distance between two chosen cases is odd. If the cases are bits, an even distance would skip some of the eight
  // positions in a byte.
  const distance = everyCase ? 1 : Math.floor(cases.length / few) | 1;
  return cases.filter((_, at) => at % distance === 0 || at === cases.length - 1);
}
