import type { Input, Permission } from '@eaas/protocol/wire';
import { counted } from '../parts/short.ts';
import { dateTime } from '../parts/times.ts';
import { type ApiKeyDraft, expiryOf } from './api-key-draft.ts';
import type { ApiKeyRecord } from './api-key-state.ts';

type Fields = Omit<Input<'PATCH /v1/api-keys/:api_key_id'>, 'api_key_id' | 'permissions'>;

export interface ApiKeyChanges<Allowed extends string = Permission> {
  readonly fields: Fields & { readonly permissions?: Allowed[] };
  readonly losses: readonly string[];
  readonly gains: readonly string[];
}

/** What API keys and issuers both have. */
interface Limited<Allowed> extends Omit<ApiKeyDraft, 'permissions'> {
  readonly permissions: readonly Allowed[];
}
type Before<Allowed> = Pick<ApiKeyRecord, 'name' | 'key_ids' | 'allowed_origins' | 'expires_at'> & {
  readonly permissions: readonly Allowed[];
};

export function changesOf<Allowed extends string>(
  record: Before<Allowed>,
  draft: Limited<Allowed>,
): ApiKeyChanges<Allowed> {
  const { permissions, keyIds, origins } = draft;
  const [taken, given] = difference(record.permissions, permissions);
  const [fewer, more] = keyDifference(record.key_ids, keyIds);
  const [closed, opened] = difference(record.allowed_origins ?? [], origins ?? []);
  const chosen = expiryOf(draft);
  const expires_at = chosen === undefined ? record.expires_at : chosen;
  const end = expires_at === null ? '' : dateTime(expires_at);
  const isSooner = timeOf(expires_at) < timeOf(record.expires_at);
  const isLater = timeOf(expires_at) > timeOf(record.expires_at);
  return {
    fields: {
      ...(draft.name !== record.name && { name: draft.name }),
      ...(taken.length + given.length > 0 && { permissions: [...permissions] }),
      ...((fewer !== '' || more !== '') && { key_ids: keyIds && [...keyIds] }),
      ...(closed.length + opened.length > 0 && { allowed_origins: origins && [...origins] }),
      ...((isSooner || isLater) && { expires_at }),
    },
    losses: [
      ...taken.map((name) => `Calls that need ${name} are refused.`),
      ...(fewer === '' ? [] : [`Calls with ${fewer} are refused.`]),
      ...closed.map((origin) => `Calls from web pages of ${origin} are refused.`),
      ...(isSooner ? [`All calls are refused from ${end}.`] : []),
    ],
    gains: [
      ...given.map((name) => `Calls that need ${name} are allowed.`),
      ...(more === '' ? [] : [`Calls with ${more} are allowed.`]),
      ...opened.map((origin) => `Calls from web pages of ${origin} are allowed.`),
      ...(isLater ? [end === '' ? 'It does not expire.' : `It expires later: ${end}.`] : []),
    ],
  };
}

function difference<T>(before: readonly T[], after: readonly T[]): [T[], T[]] {
  return [before.filter((one) => !after.includes(one)), after.filter((one) => !before.includes(one))];
}

function keyDifference(before: readonly string[] | null, after: readonly string[] | null): [string, string] {
  if (before === null || after === null) {
    if (before === after) return ['', ''];
    return after === null ? ['', 'every other key'] : [`keys other than ${counted(after.length, 'key')}`, ''];
  }
  const [fewer, more] = difference(before, after);
  return [
    fewer.length === 0 ? '' : counted(fewer.length, 'key'),
    more.length === 0 ? '' : counted(more.length, 'more key'),
  ];
}

const timeOf = (time: string | null): number => (time === null ? Infinity : Date.parse(time));
