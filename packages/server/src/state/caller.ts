import { type Holder, type RequestedCall, authorize as authorizeApiKey } from '@eaas/protocol/service';
import type { Receipt } from '@eaas/protocol/wire';
import type { EndSignal } from '../base/waiting-room.ts';
import type { TenantRow } from '../store/tenants.ts';
import type { SignInToken } from './sign-ins.ts';
import type { TenantState, TenantView } from './tenant-view.ts';

/** Who calls an operation: the owner of an API key, the operator, or the service itself. */
export interface Caller {
  readonly tenantId: string;
  readonly actor: string;
  readonly ipAddress: string | null;
  /** When the request arrived (`performance.now()`). */
  readonly arrivedAt: number;
  readonly signal?: EndSignal | undefined;
  /** Where the receipt of a single call is put. Without it, a call gets none: ids would tell users the tenant's volume. */
  readonly visit?: { receipt?: Receipt } | undefined;
  readonly credential: Credential | null;
  /** What `admit` found. `decide` need not find and authorise the API key again while it stands. */
  readonly admitted?: Standing | undefined;
  /** Whether the API key was checked in the database after the request arrived. */
  readonly isConfirmed?: boolean;
}

/** What a request shows of its sender, and asks for. */
interface Credential extends RequestedCall {
  /** The hash of the API key, or of the id of the issuer whose token this is. */
  readonly tokenHash: Uint8Array;
  readonly token?: SignInToken;
}

/** A tenant and the caller's API key, or the rights of the caller's token, as they were in one state of the tenant. */
export interface Standing {
  readonly view: TenantView;
  readonly state: TenantState;
  readonly apiKey: Holder | null;
}

/** The caller of an operation that no API key asks for. */
export function insider(tenantId: string, actor: 'operator' | 'system'): Caller {
  return { tenantId, actor, ipAddress: null, arrivedAt: performance.now(), credential: null };
}

/** Whether an API key has expired at a time of the database. */
export function isExpired({ expires_at }: Holder, time: number): boolean {
  return expires_at !== null && expires_at <= time;
}

/** Throws a refusal unless the API key allows what the caller asks for. */
export function authorize(
  { tenant }: { readonly tenant: TenantRow },
  apiKey: Holder,
  { credential }: Caller,
  time: number,
): void {
  if (credential) authorizeApiKey(apiKey, credential, { envelopeOnly: tenant.envelope_only, time });
}
