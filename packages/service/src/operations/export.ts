// Exports a key: its secrets, encrypted to the RSA key of whoever asks. The encryption is prepared, because it takes long.
// The table of operations has it; a plugin can stand around it, and encrypt what it adds.
import { toBase64 } from '@eaas/protocol/base64';
import { hashKeyPlace, type SecretPlace, versionPlace } from '@eaas/protocol/internal-sealing';
import { type Input, limits, type Output } from '@eaas/protocol/wire';
import { encryptRsa, exportSecret } from '#platform';
import { Missing, type View } from '../ledger/decision.ts';
import { keyVersions } from '../ledger/tables.ts';
import type { Caller, Part } from '../operation.ts';
import type { Holder } from '../rules/authorize.ts';
import { keyDraft } from '../rules/draft.ts';
import { jwkThumbprint } from '../rules/hashes.ts';
import { requireExportable } from '../rules/key-rules.ts';
import type { Service } from '../service.ts';
import { keyNeeds, requireKey } from './reading.ts';

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
      where: [
        ['key_id', '=', key.key_id],
        ['key_version', '>=', from_version],
        ['key_version', '<=', end - 1],
      ],
      by: 'key_version',
    });
    const length = Math.max(0, Math.min(key.key_version + 1, end) - from_version);
    const versions = Array.from({ length }, (_, nth) =>
      sealedAt(versionPlace(tenantId, key.key_id, from_version + nth), rows[nth]?.sealed),
    );
    return { key, versions, hashKey: sealedAt(hashKeyPlace(tenantId, key.key_id), key.sealed_hash_key) };
  };
  return {
    by: 'append',
    needs: () => keyNeeds(key_id),
    prepare(view, holder) {
      const { hashKey, versions } = find(view, holder);
      return encrypted.prepare(view, [hashKey, ...versions]);
    },
    judge(view, holder) {
      const { key, versions, hashKey } = find(view, holder);
      return {
        entries: [keyDraft('key.export', key, { jwk_thumbprint: jwkThumbprint(public_key) })],
        answer: {
          tenant_id: tenantId,
          key_id: key.key_id,
          versions: versions.map((one) => ({ key_version: one.place.version, encrypted: encrypted.of(one) })),
          next_version: end <= key.key_version ? end : null,
          hash_key: encrypted.of(hashKey),
        },
      };
    },
  };
}

/** A sealed secret of a tenant, and what it is for. */
interface Sealed {
  readonly place: SecretPlace;
  readonly sealed: Uint8Array;
}

/** Encrypts secrets to an RSA key. What is prepared is named by the sealed bytes, so it can serve any later judgement. */
export function encrypter({ fair }: Service, tenantId: string, publicKey: Request['public_key']) {
  const encrypted = new Map<string, string>();
  return {
    async prepare(view: View, all: readonly Sealed[]): Promise<void> {
      for (const { place, sealed } of all) {
        const name = toBase64(sealed);
        if (encrypted.has(name)) continue;
        const secret = exportSecret(view.open(place, sealed));
        try {
          encrypted.set(name, await encryptRsa(publicKey, secret));
        } finally {
          secret.fill(0);
        }
        if (fair.isOver()) await fair.pause(tenantId);
      }
    },
    /** Throws Missing. */
    of({ sealed }: Sealed): string {
      const found = encrypted.get(toBase64(sealed));
      if (found === undefined) throw new Missing([], 'the secret was not encrypted yet');
      return found;
    },
  };
}

function sealedAt(place: SecretPlace, sealed: Uint8Array | null | undefined): Sealed {
  if (sealed) return { place, sealed };
  throw new Error(
    'until a key is destroyed, it must have a secret for hashes and a secret in each version (one of them is missing)',
  );
}
