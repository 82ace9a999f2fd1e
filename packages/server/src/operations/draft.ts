import type { Context } from '@eaas/protocol';
import { canonicalJson } from '@eaas/protocol/audit';
import type { AuditAction } from '@eaas/protocol/wire';
import type { Refusal } from '../refusal.ts';
import type { Draft } from '../state/queue.ts';

/** An entry about a key. What is undefined in the metadata is left out. */
export function keyDraft(
  action: AuditAction,
  key: { readonly key_id: string; readonly key_version: number },
  metadata: Readonly<Record<string, unknown>> = {},
): Draft {
  return { action, keyId: key.key_id, keyVersion: key.key_version, metadata: metadataText(metadata) };
}

/** An entry that is about no key. */
export function tenantDraft(action: AuditAction, metadata: Readonly<Record<string, unknown>>): Draft {
  return { action, keyId: null, keyVersion: null, metadata: metadataText(metadata) };
}

/** What the metadata of a recorded refusal says. */
export function refused(refusal: Refusal): { outcome: 'refused'; code: string } {
  return { outcome: 'refused', code: refusal.code };
}

/** The context as the log keeps it: none and an empty one alike are left out. */
export function logged(context: Context | undefined): Context | undefined {
  return context && Object.keys(context).length > 0 ? context : undefined;
}

function metadataText(metadata: Readonly<Record<string, unknown>>): string {
  const present = Object.entries(metadata).filter(([, value]) => value !== undefined);
  return present.length === 0 ? '{}' : canonicalJson(Object.fromEntries(present));
}
