// Audit entries as operations draft them: the log adds their ids and hashes.
import { canonicalJson } from '@eaas/protocol/audit';
import type { Context } from '@eaas/protocol';
import { utf8Length } from '@eaas/protocol/internal';
import type { Draft } from '@eaas/protocol/internal-service';
import { type AuditAction, limits } from '@eaas/protocol/wire';
import { auditUnwritten, type Refusal } from './refusal.ts';

export type { Draft } from '@eaas/protocol/internal-service';

type Metadata = Readonly<Record<string, unknown>>;

/** Drafts the entry about a key. */
export function keyDraft(
  action: AuditAction,
  { key_id, key_version }: { readonly key_id: string; readonly key_version: number | null },
  metadata: Metadata = {},
): Draft {
  return { action, key_id, key_version, ...told(metadata) };
}

/** Drafts an entry about the tenant itself. */
export function tenantDraft(action: AuditAction, metadata: Metadata): Draft {
  return { action, key_id: null, key_version: null, ...told(metadata) };
}

const told = (metadata: Metadata) => ({
  metadata: metadataText(metadata),
  isRefused: metadata['outcome'] === 'refused',
});

/** Returns the metadata of the entry about a refused call. */
export const refusalOutcome = ({ code }: Refusal) => ({ outcome: 'refused', code });

/** Returns a context as the audit log writes it: none if it is empty. */
export const logged = (context: Context | undefined): Context | undefined =>
  context && Object.keys(context).length > 0 ? context : undefined;

export function defined<T extends object>(value: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) members[name] = member;
  return members as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}

function metadataText(metadata: Metadata): string {
  const text = canonicalJson(defined(metadata));
  if (utf8Length(text) > limits.metadata) {
    throw auditUnwritten(
      new RangeError(
        `the metadata of an audit entry must have at most ${limits.metadata} bytes (got ${utf8Length(text)})`,
      ),
    );
  }
  return text;
}
