// What the core under the adapters asks of records besides their methods: under a symbol, which two copies of the SDK in an app share.
import type { Row } from './internals.ts';
import type { RecordId } from './row-types.ts';
import type { Term } from './where.ts';

export const forCore: unique symbol = Symbol.for('@eaas/sdk records');

export interface ForCore {
  /** Returns what a search needs of the index columns, as `where` does, and by which other texts it finds rows. */
  readonly termsOf: (table: string, query: Row) => Promise<readonly Term[]>;
  /** Returns what `onError` may see of a stored row, or the row itself. */
  readonly shownRow: (table: string, stored: Row, id: RecordId | undefined) => Row;
  /** Returns the stored row of one that `onError` got. */
  readonly storedOf: (shown: Row) => Row;
}

/** What records have for the core. */
export const coreOfRecords = (records: object): ForCore =>
  (records as { readonly [forCore]: ForCore })[forCore];
