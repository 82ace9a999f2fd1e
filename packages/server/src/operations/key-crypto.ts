import type { KeyObject } from 'node:crypto';
import { intakeVersion } from '@eaas/protocol/internal-intake';
import { type KeyCrypto, keyNotFound, type People, requireKeyId, type Subject } from '@eaas/protocol/service';
import { fieldHash } from '../crypto/hmac.ts';
import { sealedVersion, sealer, subjectSealers } from '../crypto/sealed-secret.ts';
import type { Service } from '../app/service.ts';
import type { Facts } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import { SubjectMaterial } from '../state/newcomers.ts';
import type { KeyMaterial } from '../state/tenant-view.ts';
import type { IntakeOpenings } from './intake.ts';

export async function requireKey(
  { tenants }: Service,
  { state, apiKey }: Facts,
  text: string,
  keyVersion?: number,
): Promise<KeyMaterial> {
  const keyId = requireKeyId(apiKey, text);
  const loading = loadKeys(tenants, state, [{ keyId }, { keyId, keyVersion }]);
  const key = (loading instanceof Promise ? await loading : loading).get(keyId);
  if (!key) throw keyNotFound();
  return key;
}

/** What a rule needs beside the key: the people whom the call names, and the shared secrets of intake writers. */
export interface Needs {
  readonly people: People;
  readonly openings?: IntakeOpenings | undefined;
}

export function withKey<T>(key: KeyMaterial, needs: Needs, work: (crypto: KeyCrypto) => T): T {
  const crypto = keyCrypto(key, needs);
  try {
    return work(crypto);
  } finally {
    crypto.wipe();
  }
}

/** The caller must call `wipe` after the last use. */
export function keyCrypto(key: KeyMaterial, { people, openings }: Needs): KeyCrypto & { wipe(): void } {
  const { row, versions, hashKey } = key;
  const { tenant_id: tenantId, key_id: keyId, key_version: newest } = row;
  const plain = new Map<number, ReturnType<typeof sealer>>();
  const ofSubjects = new Map<number, ReturnType<typeof subjectSealers>>();
  const prepared = <Sealer>(
    sealers: Map<number, Sealer>,
    prepare: (ikm: KeyObject, place: Parameters<typeof sealer>[1]) => Sealer,
    version: number,
  ): Sealer | undefined => {
    const known = sealers.get(version);
    const ikm = known ? undefined : versions.get(version);
    if (!ikm) return known;
    const place = { purpose: 'dek', tenantId, keyId, version } as const;
    const made = prepare(ikm, place);
    sealers.set(version, made);
    return made;
  };
  const sealerOf = (version: number, subject?: Subject) =>
    subject
      ? prepared(ofSubjects, subjectSealers, version)?.of(secretOf(subject))
      : prepared(plain, sealer, version);
  return {
    ...people,
    versionOf: (wrapped) => sealedVersion(wrapped) ?? intakeVersion(wrapped),
    wrap(dek, context, subject) {
      const newestSealer = sealerOf(newest, subject);
      if (!newestSealer)
        throw new Error(`version ${newest} of the active key ${keyId} must have a secret (got none)`);
      return newestSealer.seal(dek, context);
    },
    unwrap(wrapped, context, subject) {
      if (intakeVersion(wrapped) !== undefined) return openings?.unwrap(key, wrapped, context);
      return sealerOf(sealedVersion(wrapped) ?? 0, subject)?.open(wrapped, context);
    },
    hash(value) {
      if (!hashKey) throw new Error(`the active key ${keyId} must have a secret for hashes (got none)`);
      return fieldHash(hashKey, value);
    },
    wipe() {
      for (const sealers of [...plain.values(), ...ofSubjects.values()]) sealers.wipe();
    },
  };
}

function secretOf(subject: Subject): KeyObject {
  if (subject instanceof SubjectMaterial && subject.secret) return subject.secret;
  throw new Error(`a subject that is ${subject.state} has no secret: the rule must refuse it`);
}
