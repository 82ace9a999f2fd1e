import type { Command } from 'commander';
import type { TenantFields } from '../operations/tenants.ts';
import { moment, numberOrNull, trueOrFalse } from './values.ts';

export interface TenantOptions {
  readonly name?: string;
  readonly envelopeOnly?: boolean;
  readonly monthlyEncryptQuota?: number | 'null';
  readonly createdAt?: number;
  readonly json?: true;
}

/** The options that set a tenant's fields, named as the fields are. */
export function withTenantOptions(command: Command): Command {
  return command
    .option(
      '--envelope-only <true|false>',
      'whether it may only encrypt locally (default: true when created on or after 2026-08-11)',
      trueOrFalse,
    )
    .option(
      '--monthly-encrypt-quota <number|null>',
      'encrypts a month in server mode; null: unlimited',
      numberOrNull,
    )
    .option('--created-at <time>', 'when it was created, for imports (RFC 3339)', moment);
}

export function tenantFields({
  name,
  envelopeOnly,
  monthlyEncryptQuota,
  createdAt,
}: TenantOptions): TenantFields {
  return {
    name,
    envelope_only: envelopeOnly,
    monthly_encrypt_quota: monthlyEncryptQuota === 'null' ? null : monthlyEncryptQuota,
    created_at: createdAt,
  };
}
