// What this package asks the service, in three calls: what it must answer, and what it may not have.
import { having, requireKind, type ServiceError } from '@eaas/protocol/internal';
import type { Output } from '@eaas/protocol/wire';
import type { AuditEntry } from './entry.ts';
import type { Purged } from './walk.ts';

/** The option that ends a call. */
export interface Abortable {
  /** Ends the call with the error of the client. */
  readonly signal?: AbortSignal | undefined;
}

/** What a round asks the service. An EaasClient is an AuditSource. */
export interface AuditSource {
  readonly audit: {
    /** Yields the entries from one on, oldest first. */
    list(filter: object, options: Abortable & { readonly from: number }): AsyncIterable<AuditEntry>;
    /** Returns a checkpoint of the newest entry. */
    checkpoint(options: Abortable): Promise<Output<'GET /v1/audit/checkpoint'>>;
    /** Returns which entries were purged. */
    verify(range: { readonly from_id: number }, options: Abortable): Promise<Purged>;
    /** Returns the newest proof of the public log, or the first of a head at or after an entry. */
    proof(query: { readonly id?: number }, options: Abortable): Promise<Output<'GET /v1/audit/proof'>>;
  };
}

/** What `proveEntry` and `evidence` ask the service. An EaasClient is a ProofSource. */
export type ProofSource = { readonly audit: Omit<AuditSource['audit'], 'checkpoint'> };

type Calls = ProofSource['audit'];

const sourceRule = having('an object with `list`, `proof` and `verify`', 'list', 'proof', 'verify');

/** Returns the calls of a source. Throws InputError for what is no source. */
export function callsOf<Source extends ProofSource>(source: Source): Source['audit'] {
  const { audit } = Object(source) as Source;
  requireKind(sourceRule, audit, '`audit` of the first argument');
  return audit;
}

/** Returns a proof of the public log, or undefined if the service has none. */
export async function findProof(audit: Calls, ...asked: Parameters<Calls['proof']>) {
  try {
    return (await audit.proof(...asked)).proof;
  } catch (error) {
    if ((error as Partial<ServiceError>).code === 'not_found') return undefined;
    throw error;
  }
}
