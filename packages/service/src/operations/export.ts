// Exports a key: its secrets, encrypted to the RSA key of whoever asks. The encryption is prepared, because it takes long.
// The operations of keys have it; a plugin can add to it, and encrypt what it adds.
import { toUtf8 } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/internal-base64';
import { hashKeyPlace, type SecretPlace, versionPlace } from '@eaas/protocol/internal';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import { exportSecret, sha256 } from '#platform';
import type { Secret } from '../crypto/secret.ts';
import { prepared, type View } from '../ledger/decision.ts';
import { equal, between } from '../ledger/table.ts';
import { keyVersions } from '../ledger/tables.ts';
import type { Caller, Part } from '../operation.ts';
import { type Holder, whoActs } from '../rules/authorize.ts';
import { keyDraft } from '../rules/draft.ts';
import { requireExportable } from '../rules/key-rules.ts';
import type { Service } from '../service.ts';
import { keyNeeds, requireKey } from './records.ts';

type Request = Input<'POST /v1/keys/:key_id/export'>;

/** Exports a page of a key's versions, and what its hashes are made with. */
export function exportKey(
  service: Service,
  { tenantId }: Caller,
  { key_id, public_key, from_version = 1 }: Request,
): Part<Output<'POST /v1/keys/:key_id/export'>> {
  const encrypted = encrypter(service, tenantId, public_key);
  const end = from_version + limits.versionsMaximum;
  const find = (view: View, holder: Holder | null) => {
    const key = requireKey(view, holder, key_id);
    requireExportable(key);
    const { rows } = view.all({
      table: keyVersions,
      where: [...equal({ key_id: key.key_id }), ...between('key_version', from_version, end - 1)],
      by: 'key_version',
    });
    const length = Math.max(0, Math.min(key.key_version + 1, end) - from_version);
    const versions = Array.from({ length }, (_, nth) =>
      secretAt(view, versionPlace(tenantId, key.key_id, from_version + nth), rows[nth]?.sealed),
    );
    const hashKey = secretAt(view, hashKeyPlace(tenantId, key.key_id), key.sealed_hash_key);
    return { key, versions, hashKey };
  };
  return {
    needs: () => keyNeeds(key_id),
    prepare(view, holder) {
      const { hashKey, versions } = find(view, holder);
      return encrypted.prepare([hashKey, ...versions]);
    },
    judge(view, holder) {
      const { key, versions, hashKey } = find(view, holder);
      const told = { jwk_thumbprint: jwkThumbprint(public_key), ...whoActs(holder) };
      return {
        entries: [keyDraft('key.export', key, told)],
        answer: {
          tenant_id: tenantId,
          key_id: key.key_id,
          versions: versions.map((one, nth) => ({
            key_version: from_version + nth,
            encrypted: encrypted.of(one),
          })),
          next_version: end <= key.key_version ? end : null,
          hash_key: encrypted.of(hashKey),
        },
      };
    },
  };
}

/** A secret that is exported. What is encrypted is remembered by the name, so it can serve any later judgement. */
interface Exported {
  readonly name: string;
  readonly secret: Secret;
}

/** Encrypts secrets to an RSA key. */
export function encrypter({ fair }: Service, tenantId: string, publicKey: Request['public_key']) {
  const encrypted = new Map<string, string>();
  return {
    async prepare(all: readonly Exported[]): Promise<void> {
      for (const { name, secret } of all) {
        if (encrypted.has(name)) continue;
        encrypted.set(name, await encryptRsa(publicKey, secret));
        if (fair.isOver()) await fair.pause(tenantId);
      }
    },
    /** Throws Missing. */
    of: ({ name }: Exported): string => prepared(encrypted.get(name)),
  };
}

/** Opens a secret that is exported. Its name is what is sealed. */
export function secretAt(view: View, place: SecretPlace, sealed: Uint8Array | null | undefined): Exported {
  if (sealed) return { name: toBase64(sealed), secret: view.open(place, sealed) };
  throw new Error(
    'until a key is destroyed, it must have a secret for hashes and a secret in each version (one of them is missing)',
  );
}

/** Returns the RFC 7638 thumbprint of an RSA public key. */
function jwkThumbprint({ n, e }: Request['public_key']): string {
  const text = toBase64(sha256(toUtf8(JSON.stringify({ e, kty: 'RSA', n }))));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const algorithm = { name: 'RSA-OAEP', hash: 'SHA-256' };

/** Encrypts to an RSA public key with RSA-OAEP and SHA-256. Returns base64. WebCrypto works beside the main thread. */
async function encryptRsa({ n, e }: Request['public_key'], secret: Secret): Promise<string> {
  const { subtle } = crypto;
  const key = await subtle.importKey('jwk', { kty: 'RSA', n, e }, algorithm, false, ['encrypt']);
  const bytes = exportSecret(secret) as Uint8Array<ArrayBuffer>;
  const encrypting = subtle.encrypt(algorithm, key, bytes);
  return toBase64(new Uint8Array(await encrypting.finally(() => bytes.fill(0))));
}
