// The cryptography of one key while a request is judged: what seals and opens is prepared once for each version and secret.
// operations/data-keys.ts makes it, and the rules about data keys use it.
import { type Context, toUtf8 } from '@eaas/protocol';
import { toHex, serviceForm, versionIn, hashKeyPlace, versionPlace } from '@eaas/protocol/internal';
import { hmac, sealer, sealerUnder } from '#platform';
import type { Secret } from '../crypto/secret.ts';
import type { View } from '../ledger/decision.ts';
import { type KeyRow, keyVersions } from '../ledger/tables.ts';
import type { Participation, Sealing, Suite } from '../plugin.ts';
import { Tampered } from './refusal.ts';

export type KeyCrypto = ReturnType<typeof keyCrypto>;

type Sealer = ReturnType<typeof sealer>;

const ownSuite: Suite = { form: serviceForm };

/** Reads what a wrapped key says of itself, without authenticating it. Returns undefined for bytes of no kind. */
export function headOf(suites: readonly Suite[], wrapped: Uint8Array) {
  for (const { form, isForeign = false } of [ownSuite, ...suites]) {
    const version = versionIn(form, wrapped);
    if (version !== undefined) return { version, isForeign };
  }
  return undefined;
}

/** Opens the secret of a key version, if the key has the version, and was not destroyed. Throws Tampered. */
export function findSecret(view: Pick<View, 'find' | 'open'>, key: KeyRow, version: number) {
  const { tenant_id, key_id, key_version: newest, status } = key;
  if (version < 1 || version > newest || status === 'destroyed') return undefined;
  const sealed = view.find(keyVersions, key_id, version)?.sealed;
  if (!sealed) throw new Tampered(keyVersions.name, `${key_id} ${version}`, tenant_id);
  return view.open(versionPlace(tenant_id, key_id, version), sealed);
}

/** The caller must call `wipe` after the last use. */
export function keyCrypto(view: Pick<View, 'find' | 'open'>, key: KeyRow, suites: readonly Suite[]) {
  const { tenant_id: tenantId, key_id: keyId, key_version: newest } = key;
  let made: Map<string, { readonly prepared: Sealer; seals: Sealing }> | undefined;
  let last: { readonly version: number; readonly secret: Secret } | undefined;
  const secretOf = (version: number): Secret | undefined => {
    if (last?.version === version) return last.secret;
    const secret = findSecret(view, key, version);
    last = secret && { version, secret };
    return secret;
  };
  const findSealer = (version: number, seals: Sealing | undefined): Sealer | undefined => {
    const place = { purpose: 'dek', tenantId, keyId, version } as const;
    const secret = secretOf(version);
    if (!seals) return secret && sealerUnder(secret, place);
    const name = `${version} ${seals.form.formatAndSuite}`;
    const known = made?.get(name);
    if (known && known.seals === seals) return known.prepared;
    const ikm = secret && seals.derive?.(secret);
    if (!ikm) return undefined;
    const prepared = known?.prepared ?? sealer(ikm, place, seals.form);
    if (known) known.prepared.rekey(ikm);
    made = (made ?? new Map()).set(name, { prepared, seals });
    return prepared;
  };
  return {
    headOf: (wrapped: Uint8Array) => headOf(suites, wrapped),
    /** Wraps a data key under the newest version. */
    wrap(dek: Uint8Array, context: Context | undefined, seals: Sealing | undefined): Uint8Array {
      const prepared = findSealer(newest, seals);
      if (!prepared) {
        throw new Error(`version ${newest} of the active key ${keyId} must have a secret (got none)`);
      }
      return prepared.seal(dek, context);
    },
    /** Returns the data key, which the caller wipes, or undefined. */
    unwrap(wrapped: Uint8Array, context: Context | undefined, { seals, opens }: Participation) {
      const head = headOf(suites, wrapped);
      // Foreign writers wrap for nobody.
      if (head?.isForeign) return seals ? undefined : opens?.(context);
      return head && findSealer(head.version, seals)?.open(wrapped, context);
    },
    hash(value: string): string {
      const sealed = key.sealed_hash_key;
      if (!sealed) throw new Error(`the active key ${keyId} must have a secret for hashes (got none)`);
      return toHex(hmac(view.open(hashKeyPlace(tenantId, keyId), sealed), toUtf8(value)));
    },
    wipe(): void {
      for (const { prepared } of made?.values() ?? []) prepared.wipe();
    },
  };
}
