import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto';
import {
  exportsSubjects,
  jwkThumbprint,
  keyDraft,
  requireExportable,
  type Steps,
  using,
} from '@eaas/protocol/service';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import type { Service } from '../app/service.ts';
import type { Caller } from '../state/caller.ts';
import { decide } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import { pageOfSubjects } from '../state/subjects.ts';
import { requireKey } from './key-crypto.ts';

type Exported = Output<'POST /v1/keys/:key_id/export'>;

export function exportKey(
  service: Service,
  caller: Caller,
  input: Input<'POST /v1/keys/:key_id/export'>,
): Promise<Exported> {
  const { key_id, public_key, from_version = 1, from_subject = '' } = input;
  return decide(service, caller, async (facts) => {
    const hasSubjects = exportsSubjects(facts.apiKey, input);
    const publicKey = importRsaPublicKey(public_key);
    const { row, hashKey } = await requireKey(service, facts, key_id);
    requireExportable(row);
    const { key_id: keyId, key_version: newest } = row;
    const end = Math.min(newest + 1, from_version + limits.versionsMaximum);
    const numbers = Array.from({ length: Math.max(0, end - from_version) }, (_, nth) => from_version + nth);
    const wanted = numbers.map((keyVersion) => ({ keyId, keyVersion }));
    const material = (await loadKeys(service.tenants, facts.state, wanted)).get(keyId)?.versions;
    function* encryptAll(): Steps<Exported['versions']> {
      const versions = [];
      for (const key_version of numbers) {
        versions.push({ key_version, encrypted: encrypted(publicKey, material?.get(key_version)) });
        yield;
      }
      return versions;
    }
    const page = hasSubjects
      ? await pageOfSubjects(service.tenants, facts.state, from_subject, limits.exportedSubjects)
      : undefined;
    function* encryptSubjects(): Steps<NonNullable<Exported['subjects']>> {
      const subjects = [];
      for (const { id, secret } of page?.open() ?? []) {
        if (secret) subjects.push({ subject_id: id, encrypted: encrypted(publicKey, secret) });
        yield;
      }
      return subjects;
    }
    const { turns } = service.admission;
    const versions = await turns.run(caller.tenantId, encryptAll(), caller);
    const subjects = await turns.run(caller.tenantId, encryptSubjects(), caller);
    const ofSubjects = page && {
      subjects,
      next_subject: page.next,
      subjects_key: encrypted(publicKey, facts.state.secrets.subjects),
    };
    const next_version = end <= newest ? end : null;
    return {
      drafts: [
        keyDraft('key.export', row, {
          jwk_thumbprint: jwkThumbprint(public_key),
          ...(page && { subjects: subjects.length }),
        }),
      ],
      answer: {
        tenant_id: caller.tenantId,
        key_id: keyId,
        versions,
        next_version,
        hash_key: encrypted(publicKey, hashKey),
        ...ofSubjects,
      },
    };
  });
}

function encrypted(publicKey: KeyObject, key: KeyObject | null | undefined): string {
  if (!key)
    throw new Error(
      'until a key is destroyed, it must have a secret for hashes and a secret in each version (one of them is missing)',
    );
  return using(key.export(), (secret) => encryptTo(publicKey, secret));
}

export interface RsaJwk {
  readonly n: string;
  readonly e: string;
}

export function importRsaPublicKey({ n, e }: RsaJwk): KeyObject {
  return createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' });
}

export function encryptTo(publicKey: KeyObject, secret: Uint8Array): string {
  // The option `oaepHash` also sets the hash of MGF1 in OpenSSL, so MGF1 uses SHA-256 too.
  const oaep = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return publicEncrypt(oaep, secret).toString('base64');
}
