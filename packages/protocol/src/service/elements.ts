import { badRequest } from './refusal.ts';

export function requireElements<Element>(read: readonly Element[] | number): readonly Element[] {
  if (typeof read !== 'number') return read;
  throw badRequest(`\`elements[${read}]\` is not a compressed point on P-256: 33 bytes in canonical base64`);
}
