import { randomUUID } from 'node:crypto';
import { parseUuid } from '@eaas/protocol';
import { genesisHash } from '@eaas/protocol/audit';
import { formatTimestamp, hasControlCharacter } from '@eaas/protocol/wire';
import { insider } from '../caller.ts';
import { newTenantSecret, type RootKey } from '../crypto/key-hierarchy.ts';
import { Refusal } from '../refusal.ts';
import { claim } from '../root-check.ts';
import type { Service } from '../service.ts';
import { change } from '../state/change.ts';
import { openTenant, sealHead, sealTenant } from '../state/integrity.ts';
import { monthOf } from '../state/time.ts';
import { isDuplicate } from '../store/faults.ts';
import { insertHead, lockHead } from '../store/heads.ts';
import type { Pool, Sql } from '../store/sql.ts';
import {
  findTenant,
  findTenantByName,
  insertTenant,
  type TenantRow,
  updateTenant as updateRow,
} from '../store/tenants.ts';
import { tenantDraft } from './draft.ts';

/** A tenant as the operator sees it. */
export interface TenantRecord {
  readonly tenant_id: string;
  readonly name: string;
  readonly envelope_only: boolean;
  readonly monthly_encrypt_quota: number | null;
  readonly created_at: string;
}

/** What of a tenant can be set. */
export interface TenantFields {
  readonly name?: string;
  readonly envelope_only?: boolean;
  readonly monthly_encrypt_quota?: number | null;
  /** Milliseconds since 1970. */
  readonly created_at?: number;
}

/** From here on a new tenant encrypts locally unless told otherwise. */
const envelopeOnlySince = Date.parse('2026-08-11T00:00:00Z');

/** Makes a tenant and starts its chain, which has no entry yet. */
export async function createTenant(
  service: Service,
  fields: TenantFields & { readonly name: string },
): Promise<TenantRecord> {
  requireUsableName(fields.name);
  const tenantId = randomUUID();
  const now = service.clock();
  const { created_at = now } = fields;
  const [root] = service.tenants.roots as [RootKey];
  const { rootId, sealedSecret } = newTenantSecret(root, tenantId);
  const row = {
    tenant_id: tenantId,
    name: fields.name,
    envelope_only: fields.envelope_only ?? created_at >= envelopeOnlySince,
    monthly_encrypt_quota: fields.monthly_encrypt_quota ?? null,
    created_at,
    root_id: rootId,
    sealed_secret: sealedSecret,
    rev: 0,
  };
  const secrets = openTenantSecretsOf(service, row);
  const head = {
    id: 0,
    hash: genesisHash(tenantId),
    state_id: 0,
    created_at: now,
    month: monthOf(now),
    encrypts: 0,
  };
  try {
    await service.database.transaction(async (tx) => {
      await claim(tx, service.tenants.roots);
      await insertTenant(tx, sealTenant(secrets, row));
      await insertHead(tx, tenantId, sealHead(secrets, tenantId, head));
    });
  } catch (error) {
    throw isDuplicate(error) ? nameTaken(fields.name) : error;
  }
  return tenantRecord(row);
}
