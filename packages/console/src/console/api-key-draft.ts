import { useSignal } from '@preact/signals';
import type { Permission } from '@eaas/protocol/wire';

/** The fields of an API key, as the form shows them. */
export interface ApiKeyDraft {
  readonly name: string;
  readonly permissions: readonly Permission[];
  /** The ids of the keys that the API key can use. Null means all keys. */
  readonly keyIds: readonly string[] | null;
  /** The origins whose web pages can use the API key. Null means that no web page can. */
  readonly origins: readonly string[] | null;
  /** The chosen expiry: a number of days from now, `date`, `unchanged`, or an empty text for no expiry. */
  readonly expires: string;
  /** The local time of the expiry, if `expires` is `date`. */
  readonly expiresOn: string;
}

export const lives: readonly (readonly [string, string])[] = [
  ['1', 'After a day'],
  ['30', 'After 30 days'],
  ['90', 'After 90 days'],
  ['365', 'After a year'],
  ['date', 'On a date'],
  ['', 'Never'],
];

/** Returns the chosen expiry, or undefined if the expiry is unchanged or its date is missing. */
export function expiryOf({
  expires,
  expiresOn,
}: Pick<ApiKeyDraft, 'expires' | 'expiresOn'>): string | null | undefined {
  if (expires === 'unchanged') return undefined;
  if (expires === 'date') return expiresOn === '' ? undefined : new Date(expiresOn).toISOString();
  return expires === '' ? null : new Date(Date.now() + Number(expires) * 86_400_000).toISOString();
}

/**
 * Returns the origins in a text with one origin per line. Removes paths, because users copy whole URLs. Keeps any other
 * text, because the service explains what is wrong with an invalid origin.
 */
export function originsIn(text: string): string[] {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '');
  const isAddress = (line: string) => /^https?:/i.test(line) && URL.canParse(line);
  return [...new Set(lines.map((line) => (isAddress(line) ? new URL(line).origin : line)))];
}

export function isComplete({ permissions, keyIds, origins, expires, expiresOn }: ApiKeyDraft): boolean {
  const hasDate = expires !== 'date' || expiresOn !== '';
  return permissions.length > 0 && keyIds?.length !== 0 && origins?.length !== 0 && hasDate;
}

export type ApiKeySignals = Omit<ReturnType<typeof useApiKeyDraft>, 'draft'>;

export function useApiKeyDraft(start: Omit<ApiKeyDraft, 'expiresOn'>) {
  const name = useSignal(start.name);
  const permissions = useSignal(start.permissions);
  const keyIds = useSignal(start.keyIds);
  const isForPages = useSignal(start.origins !== null);
  const origins = useSignal(start.origins?.join('\n') ?? '');
  const expires = useSignal(start.expires);
  const expiresOn = useSignal('');
  const draft: ApiKeyDraft = {
    name: name.value.trim(),
    permissions: permissions.value,
    keyIds: keyIds.value,
    origins: isForPages.value ? originsIn(origins.value) : null,
    expires: expires.value,
    expiresOn: expiresOn.value,
  };
  return { name, permissions, keyIds, isForPages, origins, expires, expiresOn, draft };
}
