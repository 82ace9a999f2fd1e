import type { Context, Wrapped } from '@eaas/protocol';
import type { Settled } from '../errors.ts';
import { ConversionError } from './convert.ts';
import type { Opening, ReencryptClient, Sealing } from './plan.ts';

export type Calls = ReturnType<typeof callsOf>;

export function callsOf(client: ReencryptClient, signal: AbortSignal | undefined) {
  return {
    keyId: client.keyId,
    seal: (value: string | Uint8Array, sealing: Sealing) =>
      first(client.encryptMany([value], { ...sealing, signal })),
    open: (bytes: Uint8Array, opening: Opening) => first(client.decryptMany([bytes], { ...opening, signal })),
    rewrap: (bytes: Uint8Array, wrapContext: Context | undefined) =>
      first(client.rewrapMany([bytes], { wrapContext, signal })),
    unwrap: (wrapped: Wrapped, wrapContext: Context | undefined) =>
      client.unwrap(wrapped, { wrapContext, signal }),
  };
}

async function first<T>(results: Promise<Settled<T>[]>): Promise<T> {
  const [result] = await results;
  if (result?.ok) return result.value;
  throw result?.error ?? new ConversionError('invalid_response');
}
