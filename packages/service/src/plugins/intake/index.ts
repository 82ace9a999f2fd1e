// Intake: encryption by writers without credentials. A key made for it publishes a public key, and what anybody wraps with it
// opens like any other data key of the key. Servers and the local service switch it on.
import { using } from '@eaas/protocol/internal';
import * as format from '@eaas/protocol/internal-service';
import type { Input, Output } from '@eaas/protocol/wire';
import { exportSecret, hkdf, intakeCrypto } from '#platform';
import type { Secret } from '../../crypto/secret.ts';
import { prepared, type View } from '../../ledger/decision.ts';
import type { KeyRow } from '../../ledger/tables.ts';
import { unlessRefused } from '../../operate.ts';
import { type Caller, type Part, preparing } from '../../operation.ts';
import { rowsOf } from '../../operations/data-keys.ts';
import { requireKey } from '../../operations/records.ts';
import { type Field, type KeyCall, type Keying, type Plugin, valueIn } from '../../plugin.ts';
import { findSecret } from '../../rules/key-crypto.ts';
import { refusedByStatus, requireStatus } from '../../rules/key-rules.ts';
import type { Service } from '../../service.ts';

const route = 'GET /v1/keys/:key_id/public-key';

/** Whether the key was made for intake. */
export const forIntake: Field<boolean> = { column: 'intake', initial: false, isShown: true };

/** `opened` is told how many data keys of such writers a request has opened. */
export const intake = (opened: (count: number) => void = () => {}): Plugin => ({
  name: 'intake',
  fields: [forIntake],
  suites: [{ form: format.intakeForm, isForeign: true }],
  keying: (calls, service) => openings(calls, service, opened),
  endpoints: { [route]: publicKeys },
});

/** The public keys of versions whose secrets are remembered. */
const derived = new WeakMap<Secret, string>();

/** Shows the public key of the newest version. */
const publicKeys = (_: Service, __: Caller, { key_id }: Input<typeof route>): Part<Output<typeof route>> => ({
  needs: (view) => rowsOf([{ key_id }], [], view),
  ...preparing(async (view, holder) => {
    const key = requireKey(view, holder, key_id);
    requireStatus(key, 'active');
    const { key_id: keyId, key_version: keyVersion } = key;
    const secret = valueIn(key, forIntake) ? findSecret(view, key, keyVersion) : undefined;
    const shown = secret ? (derived.get(secret) ?? derivePublicKey(secret, key)) : null;
    return { key_id: keyId, key_version: keyVersion, intake_public_key: shown };
  }),
});

function derivePublicKey(secret: Secret, key: KeyRow): string {
  const { key_id: keyId, key_version: keyVersion } = key;
  const { publicKey: bytes, wipe } = expand(secret, key, keyVersion);
  wipe();
  const shown = format.formatPublicKey({ keyId, keyVersion, bytes });
  derived.set(secret, shown);
  return shown;
}

/**
 * Makes the part of intake in a request. A request without such wrapped keys has none. To open one takes a millisecond, so it is
 * prepared: others come first where they wait, and none is opened twice, however often the request is judged.
 */
function openings(
  calls: readonly KeyCall[],
  { fair }: Pick<Service, 'fair'>,
  count: (opened: number) => void,
): Keying | undefined {
  const ours = calls.filter(isOurs);
  if (ours.length === 0) return undefined;
  const privateKeys = new Map<string, format.IntakePrivateKey>();
  /** What was decapsulated for calls, and the data keys in it. Undefined: it does not open. */
  const opened = new Map<KeyCall, readonly (Uint8Array | undefined)[]>();
  const found = new Set<KeyCall>();

  function open(view: View, key: KeyRow, call: OurCall): void {
    const { wrapped, context } = call;
    const version = versionFor(view, key, wrapped);
    if (!version || opened.has(call)) return;
    const place = `${key.key_id} ${version.keyVersion}`;
    const privateKey = privateKeys.get(place) ?? expand(version.secret, key, version.keyVersion);
    privateKeys.set(place, privateKey);
    const shared = privateKey.decapsulate(wrapped);
    const dek = shared && format.openForIntake(intakeCrypto, version, wrapped, shared, context);
    opened.set(call, [shared, dek]);
  }

  return {
    async prepare(view, holder) {
      for (const call of ours) {
        if (fair.isOver()) await fair.pause(view.tenant.tenant_id);
        // Which call is refused, such as one whose version was altered, is judged for each.
        unlessRefused(() => open(view, requireKey(view, holder, call.key_id), call));
      }
    },
    find(view, { key, call }) {
      if (!isOurs(call)) return undefined;
      return {
        logged: { intake: true },
        opens(context) {
          const { wrapped } = call;
          const version = versionFor(view, key, wrapped);
          if (!version) return undefined;
          const [shared, own] = prepared(opened.get(call));
          // In server mode the context of the call is that of the value, and the data key has none.
          const dek =
            context === call.context
              ? own?.slice()
              : shared && format.openForIntake(intakeCrypto, version, wrapped, shared, context);
          if (dek) found.add(call);
          return dek;
        },
      };
    },
    end() {
      for (const secret of [...opened.values()].flat()) secret?.fill(0);
      opened.clear();
      for (const privateKey of privateKeys.values()) privateKey.wipe();
      count(found.size);
    },
  };
}

type OurCall = KeyCall & { readonly wrapped: Uint8Array };

const isOurs = (call: KeyCall): call is OurCall =>
  call.wrapped !== undefined && format.isIntakeWrapped(call.wrapped);

/** Finds the version that a wrapped key names, if the key opens it. */
function versionFor(view: View, key: KeyRow, wrapped: Uint8Array) {
  const keyVersion = format.intakeVersion(wrapped);
  if (!keyVersion || !valueIn(key, forIntake) || refusedByStatus(key, 'active', 'disabled')) return undefined;
  const secret = findSecret(view, key, keyVersion);
  return secret && { keyId: key.key_id, keyVersion, secret };
}

/**
 * Expands the private key of a version, which takes a millisecond: it is derived from the version's secret, and stored nowhere.
 * The caller must call its `wipe`.
 */
function expand(secret: Secret, { tenant_id, key_id }: KeyRow, keyVersion: number): format.IntakePrivateKey {
  const seed = hkdf(secret, format.intakeKeyInfo(tenant_id, { keyId: key_id, keyVersion }));
  return using(exportSecret(seed), (bytes) => format.intakePrivateKey(intakeCrypto, bytes));
}
