// Decodes the base64 of JSON Web Keys and tokens, with `-` and `_`, as strictly as base64.ts decodes the other one.
import { readBase64 } from './base64.ts';

/** Decodes base64url, with all of its padding or none. Returns undefined for any other text. */
export function readBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.includes('=') ? '' : '='.repeat(-text.length & 3);
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/') + padding;
  return /[+/]/.test(text) ? undefined : readBase64(base64);
}
