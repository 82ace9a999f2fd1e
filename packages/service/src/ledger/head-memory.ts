// What a service remembers of logs beyond the life of its process: the newest entry of each that it has seen. With it, even a server
// that has just started notices a tenant whose rows were all exchanged for older ones.
import { sameBytes } from '#platform';
import { Tampered } from '../rules/refusal.ts';
import type { Guess } from './guess.ts';
import type { Known } from './store.ts';
import { allOf, equal, nameOf, type Need, type Query, refTo } from './table.ts';
import { type AnchorRow, anchors, entries, type EntryRow } from './tables.ts';

/** An entry that was the newest of its log when it was seen. */
export interface SeenHead {
  readonly id: number;
  readonly hash: Uint8Array;
}

/** Keeps the newest entries that a service has seen, by their tenants. A server keeps them in a file. */
export interface HeadMemory {
  get(tenantId: string): SeenHead | undefined;
  /** Takes the newest entry in place of an older one. */
  saw(tenantId: string, head: SeenHead): void;
}

/** What finds the entry of a log that has the id of a head. */
export const entryOfHead = ({ id }: Pick<SeenHead, 'id'>): Query<never> =>
  allOf({ table: entries, where: equal({ id }) });

/** What must be read with a head to find out whether its log still has an entry. */
export const needsToFind = (tenantId: string, seen: SeenHead): Need[] => [
  entryOfHead(seen),
  refTo(anchors, tenantId),
];

/**
 * Whether a log has an entry that was seen. `purged`: the log is old enough, and the entry is before those that it keeps. Undefined if
 * what was read does not tell, because it was asked for before the entry was seen.
 */
export function findSeen(
  seen: SeenHead,
  known: Known,
  guess: Guess,
): 'there' | 'lost' | 'purged' | undefined {
  const found = known.found.get(nameOf(entryOfHead(seen)));
  if (!found) return undefined;

  const newestId = known.head?.id ?? 0;
  if (newestId < seen.id) return 'lost';

  const [entry] = found.rows;
  if (entry) return sameBytes((entry.row as EntryRow).hash, seen.hash) ? 'there' : 'lost';
  return purgedThrough(guess) >= seen.id ? 'purged' : 'lost';
}

/** The id of the last purged entry. An anchor that the service did not write says nothing. */
function purgedThrough(guess: Guess): number {
  try {
    const anchor = guess.row(refTo(anchors, guess.tenant.tenant_id)) as AnchorRow | null | undefined;
    return anchor?.id ?? 0;
  } catch (error) {
    if (error instanceof Tampered) return 0;
    throw error;
  }
}
