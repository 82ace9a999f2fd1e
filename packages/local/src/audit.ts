import { toUtf8 } from '@eaas/protocol';
import { entryHash } from '@eaas/protocol/audit';
import {
  checkpointText,
  formatCheckpoint,
  formatVerifierKey,
  keyIdInput,
  parseCheckpoint,
  toHex,
} from '@eaas/protocol/internal-audit';
import { foreignCheckpoint, noPublicLog, requireKeyId, requireSubjectId } from '@eaas/protocol/service';
import { formatTimestamp, limits, type Output, parseTimestamp } from '@eaas/protocol/wire';
import { hashOf, type Operations, pageOf, type Tenant } from './tenant.ts';

type Report = Output<'GET /v1/audit/verify'>;

const maxErrors = 100;

export const auditOperations = {
  'GET /v1/audit': ({ tenant, apiKey }, filter) => {
    const keyId = filter.key_id === undefined ? undefined : requireKeyId(apiKey, filter.key_id);
    const subjectId = requireSubjectId(undefined, filter.subject_id);
    const from = parseTimestamp(filter.date_from ?? '', 'up') ?? -Infinity;
    const to = parseTimestamp(filter.date_to ?? '', 'down') ?? Infinity;
    const matching = tenant.log.filter(({ key_id, action, created_at, metadata }) => {
      const time = Date.parse(created_at);
      return (
        (keyId ?? key_id) === key_id &&
        (filter.action ?? action) === action &&
        time >= from &&
        time <= to &&
        names(metadata['subject'], subjectId) &&
        names(metadata['user'], filter.user_id)
      );
    });
    const { items: logs, page } = pageOf(matching, filter);
    const isOfPerson = subjectId !== undefined || filter.user_id !== undefined;
    if (!isOfPerson || page.total <= limits.countedEntries) return { logs, ...page };
    return { logs, ...page, total: null, total_at_least: limits.countedEntries };
  },
  'GET /v1/audit/proof': () => {
    throw noPublicLog();
  },
  'GET /v1/audit/checkpoint': async ({ tenant }) => {
    const id = tenant.log.length;
    const hash = hashOf(tenant, id);
    const { pair, ...verifier } = await signerOf(tenant);
    const text = checkpointText(tenant.tenant_id, { id, hash });
    const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, toUtf8(text)));
    return {
      checkpoint: formatCheckpoint(verifier, text, signature),
      verifier_key: formatVerifierKey(verifier),
      tenant_id: tenant.tenant_id,
      id,
      hash: toHex(hash),
    };
  },
  'GET /v1/audit/verify': async ({ tenant, time }, { from_id = 1, to_id, checkpoint: note }) => {
    const { log } = tenant;
    const errors: Report['errors'] = [];
    const checkpoint = note === undefined ? null : await judgeCheckpoint(tenant, note, errors);
    const range = log.slice(from_id - 1, Math.min(to_id ?? log.length, log.length));
    for (const { hash, ...entry } of range) {
      const isChained = hash === toHex(entryHash(hashOf(tenant, entry.id - 1), entry));
      if (!isChained) errors.push({ id: entry.id, reason: 'entry_changed' });
    }
    return {
      valid: errors.length === 0,
      complete: true,
      next_id: null,
      next_row: null,
      checked: range.length,
      first_id: range.at(0)?.id ?? null,
      last_id: range.at(-1)?.id ?? null,
      purged_through: null,
      head: { id: log.length, hash: toHex(hashOf(tenant, log.length)) },
      errors: errors.slice(0, maxErrors),
      error_count: errors.length,
      checkpoint,
      verified_at: formatTimestamp(time),
    };
  },
} satisfies Partial<Operations>;

/** Whether the metadata has the id of a person. It has the first half, and the whole id in the entry of an erasure. */
function names(logged: unknown, id: string | undefined): boolean {
  return id === undefined || (typeof logged === 'string' && logged.slice(0, 32) === id.slice(0, 32));
}

async function judgeCheckpoint(tenant: Tenant, note: string, errors: Report['errors']) {
  const { pair, ...verifier } = await signerOf(tenant);
  const found = parseCheckpoint(note, verifier);
  const holds =
    found && (await crypto.subtle.verify('Ed25519', pair.publicKey, found.signature, found.signed));
  if (!holds) throw foreignCheckpoint();
  const { id } = found;
  const hash = toHex(found.hash);
  if (id > tenant.log.length) errors.push({ id, reason: 'checkpoint_ahead' });
  else if (toHex(hashOf(tenant, id)) !== hash) errors.push({ id, reason: 'checkpoint_mismatch' });
  return { id, hash, valid: errors.length === 0 };
}

async function signerOf(tenant: Tenant) {
  tenant.signer ??= crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
  const pair = await tenant.signer;
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const { tenant_id: tenantId } = tenant;
  const digest = await crypto.subtle.digest('SHA-256', keyIdInput(tenantId, publicKey));
  return { tenantId, keyId: toHex(new Uint8Array(digest, 0, 4)), publicKey, pair };
}
