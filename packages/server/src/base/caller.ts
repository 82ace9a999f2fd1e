import type { EndSignal } from './call-end.ts';
import type { Asked } from '@eaas/protocol/service';
import type { Route } from '@eaas/protocol/wire';

export interface Arrival {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly ipAddress: string | null;
  /** When the request arrived (`performance.now()`). */
  readonly arrivedAt: number;
  readonly signal?: EndSignal | undefined;
}

export interface Caller extends Pick<Arrival, 'ipAddress' | 'arrivedAt' | 'signal'> {
  readonly tenantId: string;
  readonly actor: string;
  readonly credential: (Asked & { readonly tokenHash: Uint8Array }) | null;
  /** Whether the API key was checked in the database after the request arrived. */
  readonly isConfirmed?: boolean;
}

export function insider(tenantId: string, actor: 'operator' | 'system'): Caller {
  return { tenantId, actor, ipAddress: null, arrivedAt: performance.now(), credential: null };
}
