// Seals and opens secrets: one derivation serves many, in memory that is used again. Both platforms give it their primitives,
// and export what it returns.
import type { Context, PaePart, SyncEngine } from '@eaas/protocol';
import * as format from '@eaas/protocol/internal';
import { fixContext, pool, randomBytes, using } from '@eaas/protocol/internal';
import type { Secret } from './secret.ts';

type SecretPlace = format.SecretPlace;

interface Primitives {
  /** Its calls take the bytes of a key, too. */
  readonly engine: SyncEngine;
  readonly secretOf: (bytes: Uint8Array) => Secret;
  /** Memory for what is sealed, which is no secret. */
  readonly allocate: (length: number) => Uint8Array;
  readonly paeView: (parts: readonly PaePart[]) => Uint8Array;
  /** An HMAC that is no secret. */
  readonly shownHmac: (key: Uint8Array, message: Uint8Array) => Uint8Array;
  /** Computes HMACs under one key. */
  readonly macs: (key: Secret, messageLength: number) => Macs;
}

interface Macs {
  readonly message: Uint8Array;
  /** The HMAC of what `message` contains. */
  digest(): Uint8Array;
  /** Goes on under another key. */
  rekey(key: Secret): void;
  wipe(): void;
}

/** Where the head stands in the encoding of `sealedParts`: after the number of parts, and its length. */
const headAt = 8;

export function sealingWith({ engine, secretOf, allocate, paeView, shownHmac, macs }: Primitives) {
  const draw = pool(32);

  /** What clones of this machine share of the random bytes is hedged by the secret. */
  function newSalt(secret: Uint8Array, context: Context | undefined): Uint8Array {
    const mac = using(paeView(format.saltParts(secret, context)), (parts) => shownHmac(draw(), parts));
    return mac.subarray(0, format.saltLength);
  }

  /** Prepares the encryption of several secrets under one key. The caller must call `wipe` after the last secret. */
  function sealer(ikm: Secret, place: Omit<SecretPlace, 'context'>, form = format.serviceForm) {
    const start = format.sealedHead(form, place.version);
    const derivation = paeView(format.sealingParts(form, place, start.subarray(format.versionEnd)));
    const keys = macs(ikm, derivation.length);
    keys.message.set(derivation);
    const salt = keys.message.subarray(-format.saltLength);
    // Without a context, which most have none of, only the head differs.
    const plain = new Uint8Array(paeView(format.sealedParts(start)));
    const partsOf = (sealed: Uint8Array, context: Context | undefined) => {
      const head = sealed.subarray(0, format.saltEnd);
      salt.set(head.subarray(format.versionEnd));
      if (!context) plain.set(head, headAt);
      const aad = context ? paeView(format.sealedParts(head, context)) : plain;
      return { key: keys.digest(), aad, body: sealed.subarray(format.saltEnd) };
    };
    return {
      /** Seals 32 bytes, into memory that is shared with others. A salt is passed only for what is derived, and by tests. */
      seal(secret: Uint8Array, given?: Context, chosenSalt?: Uint8Array): Uint8Array {
        // It is compared with the context before only once.
        const context = given && fixContext(given);
        const sealed = allocate(form.length);
        sealed.set(start);
        sealed.set(chosenSalt ?? newSalt(secret, context), format.versionEnd);
        const { key, aad, body } = partsOf(sealed, context);
        using(key, () => engine.encrypt(key, format.sealingIv, aad, secret, body));
        return sealed;
      },
      /** Opens a sealed secret, which the caller wipes, or returns undefined. */
      open(sealed: Uint8Array, context?: Context): Uint8Array | undefined {
        if (format.versionIn(form, sealed) !== place.version) return undefined;
        const { key, aad, body } = partsOf(sealed, context);
        return using(key, () => engine.decrypt(key, format.sealingIv, aad, body));
      },
      /** Goes on under another key, in the same memory. */
      rekey: (other: Secret): void => keys.rekey(other),
      wipe: (): void => keys.wipe(),
    };
  }

  function once<T>(ikm: Secret, place: SecretPlace, work: (prepared: ReturnType<typeof sealer>) => T): T {
    const prepared = sealer(ikm, place);
    try {
      return work(prepared);
    } finally {
      prepared.wipe();
    }
  }

  /** Seals 32 bytes. A salt that is given must never be that of another secret. */
  const sealSecret = (ikm: Secret, place: SecretPlace, secret: Uint8Array, salt?: Uint8Array): Uint8Array => {
    if (secret.length !== 32) throw new RangeError(`a secret must have 32 bytes (got ${secret.length})`);
    return new Uint8Array(once(ikm, place, (prepared) => prepared.seal(secret, place.context, salt)));
  };
  /** Opens a sealed secret, which the caller wipes, or returns undefined. */
  const openSecret = (ikm: Secret, place: SecretPlace, sealed: Uint8Array): Uint8Array | undefined =>
    once(ikm, place, (prepared) => prepared.open(sealed, place.context));
  /** Seals 32 new random bytes. */
  const newMaterial = (sealing: Secret, place: SecretPlace): Uint8Array =>
    using(randomBytes(32), (secret) => sealSecret(sealing, place, secret));
  /** Opens what `newMaterial` sealed, or returns undefined. */
  const openMaterial = (sealing: Secret, place: SecretPlace, sealed: Uint8Array): Secret | undefined => {
    const secret = openSecret(sealing, place, sealed);
    return secret && using(secret, secretOf);
  };
  // What seals and opens under a secret is kept for as long as the secret is remembered, because to prepare it takes longer than a
  // wrap. Judgements about data keys ask for it (rules/key-crypto.ts); the ledger ends it with the secret.
  const kept = new WeakMap<Secret, ReturnType<typeof sealer>>();
  /** Returns the sealer of a secret, which stands in one place only. It ends when the secret does, so ask again for each use. */
  const sealerUnder = (secret: Secret, place: Parameters<typeof sealer>[1]): ReturnType<typeof sealer> => {
    const known = kept.get(secret);
    if (known) return known;
    const made = sealer(secret, place);
    kept.set(secret, made);
    return made;
  };
  /** Wipes what was prepared. */
  const endSealer = (secret: Secret): void => {
    kept.get(secret)?.wipe();
    kept.delete(secret);
  };
  return { sealer, sealerUnder, endSealer, sealSecret, openSecret, newMaterial, openMaterial };
}
