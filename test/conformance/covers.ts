import type { contractPage } from './sentences/contract.ts';
import type { envelopePage } from './sentences/envelope.ts';
import type { interfacePage } from './sentences/interface.ts';

type SentencesOf<Page extends Record<string, readonly string[]>> = Page[keyof Page][number];

/** A promise of one of the pages, word for word. */
export type Sentence =
  | `interface: ${SentencesOf<typeof interfacePage>}`
  | `contract: ${SentencesOf<typeof contractPage>}`
  | `envelope: ${SentencesOf<typeof envelopePage>}`;

declare module 'vitest' {
  interface TaskMeta {
    covers?: readonly Sentence[];
  }
}

/** What a test covers, as its options: `coverage.md` is made from these. */
export function covers(...sentences: [Sentence, ...Sentence[]]): { meta: { covers: readonly Sentence[] } } {
  return { meta: { covers: sentences } };
}
