// Finds a person by what the user types. A subject goes into the body of a request only, never into a URL.
import type { AuditEntry, EaasClient } from '@eaas/sdk';
import { signal as signalOf } from '@preact/signals';

/** A subject as the app passes it, or an id of the audit log: whole, or its first half. */
export type Wanted = { readonly by: 'subject' | 'id'; readonly text: string };

export interface Person {
  readonly wanted: Wanted;
  /** 64 hexadecimal characters, or 32 if only this half is known. */
  readonly id: string;
  /** Null if the entry of the first use was purged, and only half of the id is known. */
  readonly created_at: string | null;
  readonly erased_at: string | null;
  /** The entry of the erasure. Undefined if it was purged. */
  readonly erasure: Pick<AuditEntry, 'id' | 'hash'> | undefined;
}

/** Whom the page People shows when it opens. It is kept in memory, and forgotten when it was shown. */
export const asked = signalOf<Wanted | undefined>(undefined);

type Client = Pick<EaasClient, 'audit' | 'subjects'>;

export function looksLikeId(text: string): boolean {
  return /^[\da-f]{32}([\da-f]{32})?$/.test(text.trim());
}

/** Why a text names nobody, or undefined. */
export function faultOf({ by, text }: Wanted): string | undefined {
  if (by === 'id') {
    return looksLikeId(text)
      ? undefined
      : 'A subject id has 32 or 64 characters of 0 to 9 and a to f, as the audit log shows it.';
  }
  if (text === '') return 'Type the subject, as your app passes it.';
  if (new TextEncoder().encode(text).length > 256) return 'A subject has at most 256 bytes.';
  return undefined;
}

/** Returns how the API names a person. Undefined if only half of an id is known. */
export function nameOf({ by, text }: Wanted) {
  if (by === 'subject') return { subject: text };
  return text.length === 64 ? { subjectId: text } : undefined;
}

/** Throws ServiceError `not_found` for a subject or a whole id that nobody has, and returns undefined for half of one. */
export async function findPerson(
  client: Client,
  { by, text: given }: Wanted,
  signal: AbortSignal,
): Promise<Person | undefined> {
  const { audit, subjects } = client;
  const wanted: Wanted = { by, text: by === 'id' ? given.trim() : given };
  const name = nameOf(wanted);
  if (name) {
    const { subject_id: id, created_at, erased_at } = await subjects.show(name, { signal });
    const erasure = erased_at === null ? undefined : await erasureOf(client, id, signal);
    return { wanted, id, created_at, erased_at, erasure };
  }
  const erasure = await erasureOf(client, wanted.text, signal);
  const whole = erasure?.metadata['subject'];
  if (typeof whole === 'string') return findPerson(client, { by: 'id', text: whole }, signal);
  const { total } = await audit.page({ subject_id: wanted.text, limit: 1 }, { signal });
  if (total === 0) return undefined;
  const page =
    total && (await audit.page({ subject_id: wanted.text, limit: 1, offset: total - 1 }, { signal }));
  const oldest = page ? page.logs[0] : undefined;
  const created_at = oldest?.metadata['subject_created'] === true ? oldest.created_at : null;
  return { wanted, id: wanted.text, created_at, erased_at: null, erasure: undefined };
}

async function erasureOf({ audit }: Client, subject_id: string, signal: AbortSignal) {
  const { logs } = await audit.page({ subject_id, action: 'subject.erase', limit: 1 }, { signal });
  return logs[0];
}
