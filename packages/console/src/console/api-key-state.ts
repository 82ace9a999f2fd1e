// Whether an API key or a sign-in is valid, revoked, or ends within a week, as the lists of both show it.
import type { ApiKeyRecord } from '@eaas/sdk';

export function stateOf(
  { revoked_at, expires_at }: Pick<ApiKeyRecord, 'revoked_at' | 'expires_at'>,
  now = Date.now(),
): { readonly text: 'Valid' | 'Revoked' | 'Expired' | 'Expires soon'; readonly tone: string } {
  if (revoked_at !== null) return { text: 'Revoked', tone: 'plain' };
  const left = expires_at === null ? Infinity : Date.parse(expires_at) - now;
  if (left <= 0) return { text: 'Expired', tone: 'plain' };
  return left < 7 * 86_400_000 ? { text: 'Expires soon', tone: 'warn' } : { text: 'Valid', tone: 'good' };
}
