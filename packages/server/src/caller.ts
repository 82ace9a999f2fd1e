import type { Permission, Route } from '@eaas/protocol/wire';

export interface Arrival {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  readonly ipAddress: string | null;
  /** When the request arrived, as a value of `performance.now()`. */
  readonly arrivedAt: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Caller extends Pick<Arrival, 'ipAddress' | 'arrivedAt' | 'signal'> {
  readonly tenantId: string;
  readonly actor: string;
  readonly credential: Credential | null;
  /** Whether the API key was checked against the database after the request had arrived. */
  readonly isConfirmed?: boolean;
}

interface Credential {
  readonly tokenHash: Uint8Array;
  readonly permission: Permission;
  readonly serverMode: boolean;
  readonly origin: string | undefined;
}

export function insider(tenantId: string, actor: 'operator' | 'system'): Caller {
  return { tenantId, actor, ipAddress: null, arrivedAt: performance.now(), credential: null };
}
