import type { Permission } from '@eaas/protocol/wire';

/** Who asks, and what for: an API key over HTTP, the operator at the command line, or the service's own jobs. */
export interface Caller {
  readonly tenantId: string;
  /** As the audit log names it: an API key's id, `operator` or `system`. */
  readonly actor: string;
  readonly ipAddress: string | null;
  /** When the request came in, on the clock of performance.now(). */
  readonly arrivedAt: number;
  /** What the API key must still hold when the entry is written; null for the operator and the jobs. */
  readonly credential: Credential | null;
}

interface Credential {
  readonly tokenHash: Uint8Array;
  readonly permission: Permission;
  readonly serverMode: boolean;
  readonly origin: string | undefined;
}

/** The operator, or the service itself, acting on a tenant. */
export function insider(tenantId: string, actor: 'operator' | 'system'): Caller {
  return { tenantId, actor, ipAddress: null, arrivedAt: performance.now(), credential: null };
}
