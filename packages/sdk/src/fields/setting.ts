import type { EncryptOptions } from '../call-options.ts';
import type { EnvelopeClient } from '../envelope-client.ts';
import type { Fingerprints } from './fingerprints.ts';
import type { Plans } from './plan.ts';
import type { Reads } from './reads.ts';
import type { RowId } from './row-types.ts';

/** What of a client the fields use. */
export type FieldsClient = Pick<
  EnvelopeClient,
  'encryptMany' | 'decryptMany' | 'encryptSync' | 'decryptSync' | 'hashMany' | 'unwrap'
>;

/** What every verb works with. */
export interface Setting {
  readonly client: FieldsClient;
  readonly plans: Plans;
  readonly fingerprints: Fingerprints;
  readonly reads: Reads;
}

/** What the calls for rows take. */
export type RowOptions = Pick<EncryptOptions, 'scope' | 'wrapContext' | 'signal'>;

/** A row as the verbs see it; its types are the definition's affair. */
export type Row = Record<string, unknown>;
export type IdOf = (row: Row) => RowId | undefined;
