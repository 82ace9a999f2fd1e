// Intake: encryption by writers without credentials. A key made for it publishes a public key, and what anybody wraps with it
// opens like any other data key of the key. Servers and the local service switch it on.
import { toBase64 } from '@eaas/protocol/base64';
import * as format from '@eaas/protocol/internal-intake';
import { isIntakeWrapped, using } from '@eaas/protocol/internal-service';
import type { Input, Output } from '@eaas/protocol/wire';
import { exportSecret, hkdf, intakeCrypto } from '#platform';
import type { Secret } from '../../crypto/secret.ts';
import { Missing, type View } from '../../ledger/decision.ts';
import type { KeyRow } from '../../ledger/tables.ts';
import { unlessRefused } from '../../operate.ts';
import type { Caller, Part } from '../../operation.ts';
import { rowsOf } from '../../operations/data-keys.ts';
import { requireKey } from '../../operations/records.ts';
import type { KeyCall, Keying, Plugin } from '../../plugin.ts';
import { findSecret } from '../../rules/key-crypto.ts';
import { refusedByStatus, requireStatus } from '../../rules/key-rules.ts';
import { Refusal } from '../../rules/refusal.ts';
import type { Service } from '../../service.ts';

const route = 'GET /v1/keys/:key_id/public-key';

/** `opened` is told how many data keys of such writers a request has opened. */
export const intake = (opened: (count: number) => void = () => {}): Plugin => ({
  name: 'intake',
  fields: [{ column: 'intake', type: 'boolean', initial: false, isShown: true }],
  suites: [{ form: format.intakeForm, isForeign: true }],
  keying: (calls, service) => openings(calls, service, opened),
  endpoints: { [route]: publicKeys },
});

/** The public keys of versions whose secrets are remembered. */
const derived = new WeakMap<Secret, string>();

/** Shows the public key of the newest version. */
function publicKeys(_: Service, __: Caller, { key_id }: Input<typeof route>): Part<Output<typeof route>> {
  return {
    by: 'guess',
    needs: (view) => rowsOf([{ key_id }], [], view),
    async prepare(view, holder) {
      const key = requireKey(view, holder, key_id);
      const { key_id: keyId, key_version: keyVersion } = key;
      const secret = isForIntake(key) ? findSecret(view, key, keyVersion) : undefined;
      if (!secret || derived.has(secret)) return;
      const { publicKey: bytes, wipe } = expand(secret, key, keyVersion);
      wipe();
      derived.set(secret, format.formatPublicKey({ keyId, keyVersion, bytes }));
    },
    judge(view, holder) {
      const key = requireKey(view, holder, key_id);
      requireStatus(key, 'active');
      const { key_version } = key;
      const secret = isForIntake(key) ? findSecret(view, key, key_version) : null;
      const intake_public_key = secret && derived.get(secret);
      if (intake_public_key === undefined) throw new Missing([], 'the public key was not derived yet');
      return { entries: [], answer: { key_id: key.key_id, key_version, intake_public_key } };
    },
  };
}

/**
 * Makes the part of intake in a request. A request without such wrapped keys has none. To decapsulate takes a millisecond each,
 * so it is prepared: others come first where they wait, and no wrapped key is decapsulated twice, however often the request is
 * judged.
 */
function openings(
  calls: readonly KeyCall[],
  { fair }: Service,
  opened: (count: number) => void,
): Keying | undefined {
  const ours = calls.filter(isOurs);
  if (ours.length === 0) return undefined;
  const privateKeys = new Map<string, format.IntakePrivateKey>();
  /** By the key and the bytes that were decapsulated. Undefined: they have a point of low order. */
  const sharedSecrets = new Map<string, Uint8Array | undefined>();
  const found = new Set<string>();
  let tooLate: Refusal | undefined;

  function decapsulate(view: View, key: KeyRow, wrapped: Uint8Array): void {
    const version = versionFor(view, key, wrapped);
    const name = nameOf(key, wrapped);
    if (!version || sharedSecrets.has(name)) return;
    const place = `${key.key_id} ${version.keyVersion}`;
    const privateKey = privateKeys.get(place) ?? expand(version.secret, key, version.keyVersion);
    privateKeys.set(place, privateKey);
    sharedSecrets.set(name, privateKey.decapsulate(wrapped));
  }

  return {
    async prepare(view, holder) {
      try {
        for (const { key_id, wrapped } of ours) {
          if (fair.isOver()) await fair.pause(view.tenant.tenant_id);
          const key = unlessRefused(() => requireKey(view, holder, key_id));
          if (key) decapsulate(view, key, wrapped);
        }
      } catch (error) {
        // What was not opened in the time of the call is refused, and only that.
        if (!(error instanceof Refusal)) throw error;
        tooLate = error;
      }
    },
    find(view, { key, call }) {
      if (!isOurs(call)) return undefined;
      const { wrapped } = call;
      return {
        logged: { intake: true },
        opens(context) {
          const version = versionFor(view, key, wrapped);
          if (!version) return undefined;
          const name = nameOf(key, wrapped);
          if (!sharedSecrets.has(name)) throw tooLate ?? new Missing([], 'not decapsulated yet');
          const secret = sharedSecrets.get(name);
          const dek = secret && format.openForIntake(intakeCrypto, version, wrapped, secret, context);
          if (dek) found.add(name);
          return dek;
        },
      };
    },
    end() {
      for (const secret of sharedSecrets.values()) secret?.fill(0);
      for (const privateKey of privateKeys.values()) privateKey.wipe();
      opened(found.size);
    },
  };
}

const isOurs = (call: KeyCall): call is KeyCall & { readonly wrapped: Uint8Array } =>
  call.wrapped !== undefined && isIntakeWrapped(call.wrapped);

const nameOf = ({ key_id }: KeyRow, wrapped: Uint8Array): string => `${key_id} ${toBase64(wrapped)}`;

/** Finds the version that a wrapped key names, if the key opens it. */
function versionFor(view: View, key: KeyRow, wrapped: Uint8Array) {
  const keyVersion = format.intakeVersion(wrapped);
  if (!keyVersion || !isForIntake(key) || refusedByStatus(key, 'active', 'disabled')) return undefined;
  const secret = findSecret(view, key, keyVersion);
  return secret && { keyId: key.key_id, keyVersion, secret };
}

/** Whether the key was made for intake. */
const isForIntake = (key: KeyRow): boolean => Reflect.get(key, 'intake') === true;

/**
 * Expands the private key of a version, which takes a millisecond: it is derived from the version's secret, and stored nowhere.
 * The caller must call its `wipe`.
 */
function expand(secret: Secret, { tenant_id, key_id }: KeyRow, keyVersion: number): format.IntakePrivateKey {
  const seed = hkdf(secret, format.intakeKeyInfo(tenant_id, { keyId: key_id, keyVersion }));
  return using(exportSecret(seed), (bytes) => format.intakePrivateKey(intakeCrypto, bytes));
}
