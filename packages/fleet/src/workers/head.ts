import { bearerToken } from '@eaas/protocol/service';
import { hashApiKey } from '@eaas/server/internal';

const end = '\r\n\r\n';
/**
 * Captures the header's value with its leading spaces. A separate pattern for these spaces would make the search
 * quadratic.
 */
const authorizationLine = /\r\nauthorization:([^\r\n]*)\r\n/i;

/**
 * Whether the bytes are enough to choose a worker. Bytes that are not valid HTTP are enough, because any worker can
 * refuse them.
 */
export function isComplete(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return text.includes(end) || authorizationLine.test(text) || isGarbage(text);
}

function isGarbage(text: string): boolean {
  return /^(?!$|[A-Z-]+(?: |$))/.test(text) || /[^\r]\n|[^\t\r\n\x20-\x7e\x80-\xff]/.test(text);
}

/** The hash only chooses a worker and grants no access. */
export function tokenIn(bytes: Buffer): string | undefined {
  const [head = ''] = bytes.toString('latin1').split(end, 1);
  const token = bearerToken(authorizationLine.exec(`${head}\r\n`)?.[1]?.trimStart());
  return token === '' ? undefined : Buffer.from(hashApiKey(token)).toString('hex');
}
