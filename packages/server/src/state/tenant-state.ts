import type { KeyObject } from 'node:crypto';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import { Refusal } from '../refusal.ts';
import type { SeenHead } from '../store/heads.ts';
import type { KeyRow } from '../store/keys.ts';
import type { TenantRow } from '../store/tenants.ts';
import type { OpenTenant } from './integrity.ts';

/**
 * A key, with the material of the versions that this replica has used. OpenSSL overwrites the material when the
 * KeyObject is freed.
 */
export interface KeyMaterial {
  readonly row: KeyRow;
  readonly hashKey: KeyObject | null;
  /** The material of each version. Null if the version does not exist or the key is destroyed. */
  readonly versions: Map<number, KeyObject | null>;
}

/**
 * The id and the hash of the audit entry that recorded the tenant's last change. The id alone is not enough to identify
 * the change, because a restored database uses ids again.
 */
type StateName = Pick<SeenHead, 'state_id' | 'state_name'>;

let lastEpoch = 0;

/** A tenant's data between two changes of the tenant. Each change replaces this object. */
export class TenantState {
  readonly name: StateName;
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  /**
   * The number under which the tenant's keys and API keys are cached. The number stays the same after a change that
   * keeps the unchanged rows.
   */
  readonly epoch: number;

  constructor({ state_id, state_name }: StateName, { tenant, secrets }: OpenTenant, epoch = ++lastEpoch) {
    this.name = { state_id, state_name };
    this.tenant = tenant;
    this.secrets = secrets;
    this.epoch = epoch;
  }

  /** Returns whether the given head belongs to this data. If it does not, the tenant has changed. */
  isNamed({ state_id, state_name }: StateName): boolean {
    const own = this.name;
    if (own.state_id !== state_id) return false;
    if (own.state_name === null || state_name === null) return own.state_name === state_name;
    return sameBytes(own.state_name, state_name);
  }
}

/** Thrown if the tenant changed while a request was decided. The request must be decided again. */
export class StateMoved extends Error {
  override readonly name = 'StateMoved';
}

export function noSuchTenant(): Refusal {
  return new Refusal('not_found', 'Tenant not found.');
}
