import { useSignal } from '@preact/signals';
import type { Permission } from '@eaas/protocol/wire';

export interface ApiKeyDraft {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly keyIds: readonly string[] | null;
  readonly origins: readonly string[] | null;
  readonly expires: string;
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

export function expiryOf({
  expires,
  expiresOn,
}: Pick<ApiKeyDraft, 'expires' | 'expiresOn'>): string | null | undefined {
  if (expires === 'unchanged') return undefined;
  if (expires === 'date') return expiresOn === '' ? undefined : new Date(expiresOn).toISOString();
  return expires === '' ? null : new Date(Date.now() + Number(expires) * 86_400_000).toISOString();
}

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
