// Blocks of 1,024 ids: in which of them somebody, a frequent action, or both together have an entry. A store finds entries by them,
// because an index of all entries by actor and action would be a third of what an append costs.
import { type Ref, type RowOf, tableOf } from './table.ts';
import type { EntryRow } from './tables.ts';

const size = 1_024;

/** The actions of most entries. A store has an index of the others. */
export const frequentActions: readonly string[] = ['key.wrap', 'key.unwrap', 'encrypt', 'decrypt'];

const block = { block: 'number', of: 'text' } as const;

export const blocks = tableOf<RowOf<typeof block>>('audit_blocks', ['block', 'of'], block, { isLoose: true });

/** Whether an entry is the first one of a block. */
export const beginsBlock = (id: number): boolean => id % size === 0;

/** Names the block of an entry for all by which it is found: its number, and of whom or what. */
export function blocksOf(id: number, action: string, actor: string): string[] {
  const of = frequentActions.includes(action) ? [action, `${action} by ${actor}`] : [];
  return [`by ${actor}`, ...of].map((name) => `${Math.floor(id / size)} ${name}`);
}

/** Names the rows of the blocks of entries. */
export function refsOfBlocks(page: readonly EntryRow[]): Ref[] {
  const names = new Set<string>();
  let before: EntryRow | undefined;
  for (const entry of page) {
    const { id, action, actor } = entry;
    if (beginsBlock(id) || action !== before?.action || actor !== before.actor) {
      for (const name of blocksOf(id, action, actor)) names.add(`${blocks.name} ${name}`);
    }
    before = entry;
  }
  return [...names] as Ref[];
}
