import type { KeyObject } from 'node:crypto';
import type { BlindHashKey } from '@eaas/protocol/blind-hash';
import type { TenantSecrets } from '../crypto/key-hierarchy.ts';
import { sameBytes } from '../crypto/same-bytes.ts';
import { Refusal } from '../base/refusal.ts';
import type { HeadRow } from '../store/heads.ts';
import type { KeyRow } from '../store/keys.ts';
import type { TenantRow } from '../store/tenants.ts';
import type { OpenTenant } from './integrity.ts';

/** A key with its decrypted secrets. OpenSSL overwrites a secret when its KeyObject is freed. */
export interface KeyMaterial {
  readonly row: KeyRow;
  readonly hashKey: KeyObject | null;
  readonly versions: Map<number, KeyObject | null>;
  intakePublicKey?: string;
  blindHash?: BlindHashKey;
}

/**
 * Identifies the tenant's last change. The id of the change is not enough, because a restored database assigns the same
 * ids again.
 */
type StateName = Pick<HeadRow, 'state_id' | 'state_hash'>;

let lastEpoch = 0;

export class TenantState {
  readonly name: StateName;
  readonly tenant: TenantRow;
  readonly secrets: TenantSecrets;
  readonly epoch: number;

  constructor({ state_id, state_hash }: StateName, { tenant, secrets }: OpenTenant, epoch = ++lastEpoch) {
    this.name = { state_id, state_hash };
    this.tenant = tenant;
    this.secrets = secrets;
    this.epoch = epoch;
  }

  isNamed({ state_id, state_hash }: StateName): boolean {
    return this.name.state_id === state_id && sameBytes(this.name.state_hash, state_hash);
  }
}

export class StateMoved extends Error {
  override readonly name = 'StateMoved';
}

export function noSuchTenant(): Refusal {
  return new Refusal('not_found', 'Tenant not found.');
}
