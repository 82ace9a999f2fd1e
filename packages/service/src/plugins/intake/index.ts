// Intake: encryption by writers without credentials. A key made for it publishes a public key, and what anybody wraps with it
// opens like any other data key of the key. Servers and the local service switch it on.
import { formatPublicKey, intakeForm } from '@eaas/protocol/internal-intake';
import type { Input, Output } from '@eaas/protocol/wire';
import type { Secret } from '../../crypto/secret.ts';
import { Missing } from '../../ledger/decision.ts';
import type { Caller, Part } from '../../operation.ts';
import { rowsOf } from '../../operations/data-keys.ts';
import { requireKey } from '../../operations/records.ts';
import type { Plugin } from '../../plugin.ts';
import { findSecret } from '../../rules/key-crypto.ts';
import { requireStatus } from '../../rules/key-rules.ts';
import type { Service } from '../../service.ts';
import { expand, isForIntake, openings } from './openings.ts';

const route = 'GET /v1/keys/:key_id/public-key';

/** `opened` is told how many data keys of such writers a request has opened. */
export const intake = (opened: (count: number) => void = () => {}): Plugin => ({
  name: 'intake',
  fields: [{ column: 'intake', type: 'boolean', initial: false, isShown: true }],
  suites: [{ form: intakeForm, isForeign: true }],
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
      derived.set(secret, formatPublicKey({ keyId, keyVersion, bytes }));
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
