// What the database makes of an id, by the type of its column in the schema.
import { storedId } from '@eaas/sdk/internal';
import type { RuntimeField } from './models.ts';

/** Returns an id as the database returns it, and whether a comparison with it finds only rows that have it. */
export const storedIn = (field: RuntimeField | undefined, id: unknown): ReturnType<typeof storedId> =>
  storedId(id, formOf(field));

function formOf({ type, nativeType = '' }: Partial<RuntimeField> = {}): Parameters<typeof storedId>[1] {
  if (type === 'BigInt') return 'integer';
  if (nativeType === 'Uuid') return 'uuid';
  if (nativeType === 'Citext') return 'folded';
  const [isChar, length = '1'] = /^Char(?:\((\d+)\))?$/.exec(nativeType) ?? [];
  return isChar === undefined ? 'text' : { padded: Number(length) };
}
