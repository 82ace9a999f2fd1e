import type { KeyObject } from 'node:crypto';
import { BoundedMap } from '../bounded-map.ts';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';
import type { KeyRow } from '../store/keys.ts';
import type { TenantRow } from '../store/tenants.ts';

/** A key with what of its material was needed so far. KeyObjects: OpenSSL overwrites them when they go. */
export interface KeyMaterial {
  readonly row: KeyRow;
  readonly hashKey: KeyObject | null;
  /** Null where there is no such version, or it is destroyed. */
  readonly versions: Map<number, KeyObject | null>;
}

/**
 * What a replica remembers of a tenant: all of it of one moment, the one that `stateId` names. When the state has
 * moved, a new one takes its place; nothing in here is ever brought up to date.
 */
export class TenantState {
  readonly stateId: number;
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  /** By the token's hash, in hex. */
  readonly apiKeys = new BoundedMap<string, ApiKeyRow>(10_000);
  /** By key_id. */
  readonly keys = new BoundedMap<string, KeyMaterial>(10_000);

  constructor(stateId: number, tenant: TenantRow, secrets: TenantSecrets) {
    this.stateId = stateId;
    this.tenant = tenant;
    this.secrets = secrets;
  }
}

/** The state moved while something was judged by it: judge again. */
export class StateMoved extends Error {
  override readonly name = 'StateMoved';
}
