import { type BlindingTools, blindWith, nobleCurve, proofErrors } from '@eaas/protocol/internal-blind-hash';
import type { EaasError } from '@eaas/protocol';
import type { Output } from '@eaas/protocol/wire';
import { nextTurn, platformCurve } from '#blind-hash';
import type { ServiceError } from '../errors.ts';
import type { EnvelopeClientOptions } from '../options/client-options.ts';
import { createSlices, type Slices } from '../transport/slices.ts';
import type { Call } from '../transport/transport.ts';

type Response = Output<'POST /v1/hash/blind'>;

/**
 * A value to hash. Calls with the same key and an equal value in the same tick share this object, so that the client
 * sends the value only once.
 */
interface PendingHash {
  readonly value: Uint8Array;
  readonly hash: Promise<string>;
  readonly resolve: (hash: string) => void;
  readonly reject: (error: unknown) => void;
  /**
   * The signal of each call that passed this value, or undefined for a call without a signal. If all calls have
   * aborted, the client does not send the value.
   */
  readonly signals: (AbortSignal | undefined)[];
}

const maxElements = 100;

export type BlindHashOptions = Pick<EnvelopeClientOptions, 'engines' | 'hashPublicKeys'>;

export type Hash = (value: Uint8Array, keyId: string, signal: AbortSignal | undefined) => Promise<string>;

/**
 * Functions that the client passes to this module, which is loaded on demand. If this module imported the functions,
 * bundlers would move them into an additional file, which a web page loads at its start.
 */
interface Shared extends Pick<BlindingTools, 'readBase64' | 'toBase64'> {
  readonly EaasError: typeof EaasError;
  readonly call: Call;
  readonly unreadable: () => ServiceError;
}

export function createHasher(
  { engines, hashPublicKeys = {} }: BlindHashOptions,
  shared: Shared,
  slices = () => createSlices(nextTurn),
): Hash {
  const { call, unreadable, toBase64 } = shared;
  const { ProofError, PublicKeyChangedError } = proofErrors(shared.EaasError);
  const tools = { ...shared, ProofError, engine: engines === 'noble' ? nobleCurve : platformCurve };
  const publicKeys = publicKeyStore(hashPublicKeys, PublicKeyChangedError);
  const ticks = new Map<string, Map<string, PendingHash>>();

  function tickOf(keyId: string): Map<string, PendingHash> {
    const found = ticks.get(keyId);
    if (found) return found;
    const tick = new Map<string, PendingHash>();
    ticks.set(keyId, tick);
    void Promise.resolve().then(() => {
      ticks.delete(keyId);
      return send(keyId, [...tick.values()]);
    });
    return tick;
  }

  async function send(keyId: string, rest: PendingHash[]): Promise<void> {
    const inSlices = slices();
    for (;;) {
      rest = rest.filter(({ signals }) => signals.some((signal) => !signal?.aborted));
      const part = rest.splice(0, maxElements);
      if (part.length === 0) return;
      try {
        const values = part.map(({ value }) => value);
        const hashes = await hashAll(keyId, values, inSlices);
        for (const [at, hash] of hashes.entries()) part[at]?.resolve(hash);
      } catch (error) {
        // After a retryable error, fails the remaining values without a request. The service might not respond, and
        // each further request would then wait until its time limit.
        if ((error as ServiceError).retryable) part.push(...rest.splice(0));
        for (const { reject } of part) reject(error);
      }
    }
  }

  async function hashAll(keyId: string, values: Uint8Array[], inSlices: Slices): Promise<string[]> {
    const blinded = await inSlices(blindWith(tools, values));
    const input = { key_id: keyId, elements: [...blinded.elements] };
    const response = await call('POST /v1/hash/blind', input);
    if (!hasMembers(response, keyId)) throw unreadable();
    const { public_key } = response;
    publicKeys.check(keyId, public_key);
    const hashes = await inSlices(blinded.finish(response));
    publicKeys.remember(keyId, public_key);
    return hashes;
  }

  return (value, keyId, signal) => {
    const tick = tickOf(keyId.toLowerCase());
    const text = toBase64(value);
    const asked = tick.get(text) ?? askedFor(value);
    tick.set(text, asked);
    asked.signals.push(signal);
    return asked.hash;
  };
}

function askedFor(value: Uint8Array): PendingHash {
  let [resolve, reject]: [PendingHash['resolve'], PendingHash['reject']] = [() => undefined, () => undefined];
  const hash = new Promise<string>((...settle) => ([resolve, reject] = settle));
  return { value, hash, resolve, reject, signals: [] };
}

function hasMembers({ key_id, evaluated, proof, public_key }: Response, keyId: string): boolean {
  const texts: unknown[] = Array.isArray(evaluated) ? [...evaluated, proof, public_key] : [evaluated];
  return key_id === keyId && texts.every((text) => typeof text === 'string');
}

/**
 * Checks that the service always returns the same public key for a key: the pinned public key or, without a pin, the
 * public key of the first valid response.
 */
function publicKeyStore(
  pinned: Readonly<Record<string, string>>,
  PublicKeyChangedError: ReturnType<typeof proofErrors>['PublicKeyChangedError'],
) {
  const pins = new Map(Object.entries(pinned).map(([keyId, key]) => [keyId.toLowerCase(), key]));
  const seen = new Map<string, string>();

  function check(keyId: string, publicKey: string): void {
    const isPinned = pins.has(keyId);
    const expected = isPinned ? pins.get(keyId) : (seen.get(keyId) ?? publicKey);
    if (expected !== publicKey) throw new PublicKeyChangedError(keyId, isPinned);
  }

  return {
    check,
    remember(keyId: string, publicKey: string): void {
      // Checks the public key again. During the verification of this response, another response can have set a
      // different expected public key.
      check(keyId, publicKey);
      seen.set(keyId, publicKey);
    },
  };
}
