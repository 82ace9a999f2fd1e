const anyApiKey = /eaas_sk_\w*/g;
const anyDek = /[\w+/-]{43}=/g;

/**
 * Replaces API keys, data keys and the given secrets in a text from the service, because a faulty gateway
 * could copy them from the request into the text.
 */
export function mask(text: string, secrets: readonly string[]): string {
  const spellings = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const found = [...new Set(spellings)].filter((secret) => secret !== '' && text.includes(secret));
  // Masks longer secrets first. Otherwise, masking a secret that is a part of a longer secret would leave the rest of
  // the longer secret visible.
  found.sort((a, b) => b.length - a.length);
  for (const secret of found) text = text.replaceAll(secret.length < 4 ? asWord(secret) : secret, '…');
  return text.replace(anyApiKey, 'eaas_sk_…').replace(anyDek, '…');
}

/**
 * Matches a short secret only as a separate word, because the letters of a short secret also occur inside other words.
 */
function asWord(secret: string): RegExp {
  const escaped = secret.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu');
}

/** The secret members of a request, and of its items. */
export function secretsIn(input: object): string[] {
  const { dek, plaintext, value, items = [] } = input as Record<string, unknown> & { items?: object[] };
  const own = [dek, plaintext, value].filter((secret) => typeof secret === 'string');
  return [...own, ...items.flatMap(secretsIn)];
}

/**
 * Returns the values of headers that might be secret, such as a session token. Values of less than 8 characters, such
 * as `1`, are too short to be a secret.
 */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  const values = Object.values(headers);
  return [...values, ...values.flatMap((value) => value.split(/\s+/))].filter(({ length }) => length >= 8);
}
