import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { type Context, pae } from '@eaas/protocol';
import {
  intakeForm,
  intakeWrappedBase64Length,
  saltEnd,
  saltLength,
  serviceForm,
  serviceWrappedLength,
  subjectForm,
  versionAtStart,
  versionEnd,
  versionIn,
  type WrappedForm,
} from '@eaas/protocol/internal-intake';
import {
  saltParts,
  sealedHead,
  sealedParts,
  sealingIv,
  sealingParts,
  type SecretPlace,
  subjectParts,
} from '@eaas/protocol/internal-sealing';
import { using } from '@eaas/protocol/service';
import { hmac, hmacSha256, paeView } from './hmac.ts';

export type { SecretPlace } from '@eaas/protocol/internal-sealing';

const bodyLength = 32;
const bodyEnd = saltEnd + bodyLength;
/** Maps the length of a wrapped key's base64 text to the formats of that length. */
const forms: Readonly<Record<number, readonly WrappedForm[]>> = {
  [(4 * serviceWrappedLength) / 3]: [serviceForm, subjectForm],
  [intakeWrappedBase64Length]: [intakeForm],
};
const aadStart = 8; // after the count of parts and the length of the head, 4 bytes each

// Without `authTagLength`, Node would accept an authentication tag of only 4 bytes.
const gcm = { authTagLength: 16 } as const;

/** Prepares the encryption of several secrets under one key. The caller must call `wipe` after the last secret. */
export function sealer(ikm: KeyObject, place: Omit<SecretPlace, 'context'>, isOfSubject = false) {
  const form = isOfSubject ? subjectForm : serviceForm;
  const start = sealedHead(form, place.version);
  const derivation = paeView(sealingParts(form, place, start.subarray(versionEnd)));
  const keys = hmacSha256(ikm, derivation.length);
  keys.message.set(derivation);
  const salt = keys.message.subarray(-saltLength);
  const noContext = Buffer.from(paeView(sealedParts(start)));
  const prepare = (head: Uint8Array, context: Context | undefined) => {
    salt.set(head.subarray(versionEnd));
    if (context === undefined) noContext.set(head, aadStart);
    return {
      key: keys.digest(),
      aad: context === undefined ? noContext : paeView(sealedParts(head, context)),
    };
  };
  return {
    seal(secret: Uint8Array, context?: Context, chosenSalt?: Uint8Array): Uint8Array {
      const sealed = Buffer.allocUnsafe(form.length);
      const head = sealed.subarray(0, saltEnd);
      head.set(start);
      head.set(chosenSalt ?? newSalt(secret, context), versionEnd);
      const { key, aad } = prepare(head, context);
      try {
        const cipher = createCipheriv('aes-256-gcm', key, sealingIv, gcm).setAAD(aad);
        sealed.set(cipher.update(secret), saltEnd);
        cipher.final();
        sealed.set(cipher.getAuthTag(), bodyEnd);
        return sealed;
      } finally {
        key.fill(0);
      }
    },
    open(sealed: Uint8Array, context?: Context): Uint8Array | undefined {
      if (versionIn(form, sealed) !== place.version) return undefined;
      const { key, aad } = prepare(sealed.subarray(0, saltEnd), context);
      const decipher = createDecipheriv('aes-256-gcm', key, sealingIv, gcm);
      key.fill(0);
      decipher.setAAD(aad).setAuthTag(sealed.subarray(bodyEnd));
      const secret = decipher.update(sealed.subarray(saltEnd, bodyEnd));
      try {
        decipher.final();
        return secret;
      } catch {
        secret.fill(0);
        return undefined;
      }
    },
    /** Takes another key, and wipes its bytes. */
    rekey: keys.rekey,
    wipe: () => keys.wipe(),
  };
}

/**
 * Prepares the encryption of data keys that open only with the secrets of subjects. A batch can name a subject for each item,
 * so all share the memory of one sealer: the sealer that `of` returns is that of its subject until `of` is called again. The
 * caller must call `wipe` after the last data key.
 */
export function subjectSealers(ikm: KeyObject, place: Omit<SecretPlace, 'context'>) {
  const derivation = pae(...subjectParts(new Uint8Array(bodyLength)));
  const mixing = hmacSha256(ikm, derivation.length);
  mixing.message.set(derivation);
  const mixed = mixing.message.subarray(-bodyLength);
  const prepared = sealer(ikm, place, true);
  let current: KeyObject | undefined;
  return {
    of(subjectSecret: KeyObject) {
      if (subjectSecret === current) return prepared;
      const secret = subjectSecret.export();
      mixed.set(secret);
      secret.fill(0);
      prepared.rekey(mixing.digest());
      current = subjectSecret;
      return prepared;
    },
    wipe(): void {
      mixing.wipe();
      prepared.wipe();
    },
  };
}

/** `salt` is random by default, and only tests pass a salt. */
export function sealSecret(
  ikm: KeyObject,
  place: SecretPlace,
  secret: Uint8Array,
  salt?: Uint8Array,
): Uint8Array {
  if (secret.length !== bodyLength)
    throw new RangeError(`a secret must have ${bodyLength} bytes (got ${secret.length})`);
  if (salt && salt.length !== saltLength)
    throw new RangeError(`a salt must have ${saltLength} bytes (got ${salt.length})`);
  const prepared = sealer(ikm, place);
  try {
    return prepared.seal(secret, place.context, salt);
  } finally {
    prepared.wipe();
  }
}

/** The caller must wipe the returned secret. */
export function openSecret(ikm: KeyObject, place: SecretPlace, sealed: Uint8Array): Uint8Array | undefined {
  if (sealedVersion(sealed) !== place.version) return undefined;
  const prepared = sealer(ikm, place);
  try {
    return prepared.open(sealed, place.context);
  } finally {
    prepared.wipe();
  }
}

/**
 * Reads the key version from an encrypted secret without decrypting it. The returned version is therefore not
 * authenticated.
 */
export function sealedVersion(sealed: Uint8Array): number | undefined {
  return versionIn(serviceForm, sealed) ?? versionIn(subjectForm, sealed);
}

export function wrappedKeyVersion(text: string): number | undefined {
  const start = Buffer.from(text.slice(0, 8), 'base64');
  for (const form of forms[text.length] ?? []) {
    const version = versionAtStart(form, start);
    if (version !== undefined) return version;
  }
  return undefined;
}

let random = Buffer.alloc(0);

/** Draws the random bytes of 64 salts at a time. What clones of this machine share of them is hedged by the secret. */
function newSalt(secret: Uint8Array, context: Context | undefined): Uint8Array {
  if (random.length === 0) random = randomBytes(64 * 32);
  const key = random.subarray(0, 32);
  random = random.subarray(32);
  const mac = using(paeView(saltParts(secret, context)), (parts) => hmac(key, parts));
  return mac.subarray(0, saltLength);
}
