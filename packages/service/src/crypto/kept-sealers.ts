// What seals and opens under a secret is kept for as long as the secret is remembered, because to prepare it takes longer than a
// wrap. Judgements about data keys ask for it (rules/key-crypto.ts); the ledger ends it with the secret.
import { sealer } from '#platform';
import type { Secret } from './secret.ts';

type Sealer = ReturnType<typeof sealer>;

const kept = new WeakMap<Secret, Sealer>();

/** Returns the sealer of a secret, which stands in one place only. It ends when the secret does, so ask again for each use. */
export function sealerUnder(secret: Secret, place: Parameters<typeof sealer>[1]): Sealer {
  const known = kept.get(secret);
  if (known) return known;
  const made = sealer(secret, place);
  kept.set(secret, made);
  return made;
}

/** Wipes what was prepared. */
export function endSealer(secret: Secret): void {
  kept.get(secret)?.wipe();
  kept.delete(secret);
}
