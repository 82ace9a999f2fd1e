import type { Permission, Route } from '@eaas/protocol/wire';

/** A request whose headers have arrived. The body has not been read yet. */
export interface Arrival {
  readonly route: Route;
  readonly authorization: string | undefined;
  readonly origin: string | undefined;
  /**
   * The client's IP address in RFC 5952 form. An IPv4-mapped IPv6 address is written as IPv4. Null if the address is
   * unknown.
   */
  readonly ipAddress: string | null;
  /** The time when the request arrived, by `performance.now()`. */
  readonly arrivedAt: number;
  /** The signal aborts when the call ends or the client disconnects. */
  readonly signal?: AbortSignal | undefined;
}

/** The caller of an operation: an API key over HTTP, the operator at the command line, or the service's own jobs. */
export interface Caller extends Pick<Arrival, 'ipAddress' | 'arrivedAt' | 'signal'> {
  readonly tenantId: string;
  /** The actor in the audit log: an API key's id, `operator` or `system`. */
  readonly actor: string;
  /**
   * The rights that the API key must still have when the audit entry is written. Null if the caller is not an API key.
   */
  readonly credential: Credential | null;
  /** Whether the request's API key was checked against the database after the request arrived. */
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
