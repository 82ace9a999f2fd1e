// The halves of a client: what they are made of, the answers of a function, and what data keys and index keys become with them.
import {
  altered,
  DecryptionError,
  equalBytes,
  InputError,
  isBytes,
  personName,
  requireKind,
  type Rule,
  toHex,
  type Wrapped,
} from '@eaas/protocol/internal';
import { halfIdMessage, halfIndexMessage, mixMessage, parseHalf } from '@eaas/protocol/internal-half';
import { type Mac, macUnder } from '#mac';
import { Bounded } from '../bounded.ts';
import { copied } from '../data-keys/ciphertext.ts';
import type { Derive, Whose } from '../data-keys/calls.ts';
import type { DerivedDataKey } from '../data-keys/derive.ts';
import type { Limits } from '../data-keys/limits.ts';
import { ClientError, type SdkError } from '../errors.ts';
import { abortable, later } from '../http/abortable.ts';
import type { Half, HalfAnswer, HalfOption } from './options.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A half that is ready for use. Without `mac`, it stands for values without a half. */
interface OwnHalf {
  readonly id: string | null;
  /** When a function was asked for it. */
  readonly asked: number;
  readonly mac?: Mac;
}

/** The bytes of `given` are overwritten as soon as they are imported. */
export function createHalves(given: HalfOption, expectedId: string | undefined, limits: Limits) {
  const { encrypt, decrypt, patience } = limits;
  /** The answers of a function, by key and person, and the waits for them. */
  const kept = new Bounded<string, { readonly halves: Promise<readonly OwnHalf[]>; until: number }>(
    (size) => size > Math.max(encrypt.maxEntries, decrypt.maxEntries),
  );
  const lifetime = decrypt.maxEntries === 0 ? 0 : Math.min(encrypt.maxAge, decrypt.maxAge);
  const fixed = typeof given === 'function' ? undefined : openAll(given, '`half`', expectedId);

  async function answerTo(keyId: string, subject: string | undefined): Promise<HalfAnswer> {
    try {
      const answer = (async () => (given as (of: Whose) => HalfAnswer)({ keyId, subject }))();
      // Less than the time limit of the call, so that the error says who did not answer.
      return copied(await abortable(answer, undefined, 0.9 * patience));
    } catch (cause) {
      const what =
        (cause as SdkError | undefined)?.code === 'timeout' ? 'did not answer in time' : 'threw an error';
      throw new ClientError('half', `the function \`half\` ${what} for the key ${keyId}`, { cause });
    }
  }

  /** `share`: how much of its lifetime an earlier answer may have used. */
  async function ask({ signal, subject, ...of }: Whose, share = 1): Promise<readonly OwnHalf[]> {
    if (fixed) return fixed;
    const keyId = of.keyId.toLowerCase();
    const person = subject && personName(subject);
    const name = JSON.stringify([keyId, person]);
    const known = kept.get(name);
    const asked = Date.now();
    if (known && asked < known.until - lifetime * (1 - share)) return abortable(known.halves, signal);
    const halves = answerTo(keyId, person).then((answer) =>
      openAll(answer, 'what the function `half` returns', expectedId, asked),
    );
    const question = { halves, until: Infinity };
    kept.set(name, question);
    const forget = (): unknown => kept.get(name) === question && kept.delete(name);
    const keep = (): void => {
      question.until = asked + lifetime;
      later(lifetime, forget);
    };
    halves.then(keep, forget);
    return abortable(halves, signal);
  }

  /** Wraps a DEK, and replaces it by what it becomes with the first half. */
  async function wrap(of: Whose, dek: Uint8Array, wrap: () => Promise<Wrapped>) {
    // An answer that is as old as a data key to replace would make one that must be replaced at once.
    const [half] = (await ask(of, 0.8)) as [OwnHalf];
    const wrapped = await wrap();
    dek.set(await mixed(half, mixMessage(wrapped.keyId, dek), dek));
    return { ...wrapped, half };
  }

  /** Unwraps a DEK, and returns what it becomes with each half. */
  async function unwrap(of: Whose, unwrap: () => Promise<Uint8Array>) {
    const halves = await ask(of);
    const dek = await unwrap().catch((error: unknown) => {
      const isUsual = error instanceof DecryptionError && error.message === new DecryptionError().message;
      throw isUsual ? new DecryptionError(altered) : error;
    });
    const mix = async (half: OwnHalf) => ({ half, dek: await mixed(half, mixMessage(of.keyId, dek), dek) });
    return Promise.all(halves.map(mix)).finally(() => dek.fill(0));
  }

  return {
    wrap,
    unwrap,
    /** Wraps a new DEK, and derives its data key. */
    async mint(of: Whose, dek: Uint8Array, call: () => Promise<Wrapped>, derive: Derive<[Wrapped]>) {
      const { half, ...wrapped } = await wrap(of, dek, call);
      return withHalf(await derive(dek, wrapped), half);
    },
    /** Unwraps a DEK, and derives its data key with each half. */
    async open(of: Whose, call: () => Promise<Uint8Array>, derive: Derive): Promise<DerivedDataKey> {
      let next: DerivedDataKey | undefined;
      for (const { dek, half } of (await unwrap(of, call)).toReversed()) {
        next = withHalf(await derive(dek), half, next);
      }
      return next as DerivedDataKey;
    },
    drop: () => kept.clear(),
    /** Returns the HMAC of a value under the index key of each half, for the key of a token, or without a token. */
    async macs(of: Whose, token: () => Promise<Uint8Array | undefined>, value: Bytes): Promise<Uint8Array[]> {
      const all = await ask(of);
      const tokenKey = (await token()) ?? null;
      const halves = all.filter(({ mac }) => mac ?? tokenKey);
      if (halves.length === 0) {
        throw new InputError("`index: 'half'` needs a half (got null): return one for this key");
      }
      return Promise.all(
        halves.map(async (half) => {
          const key = await mixed(half, halfIndexMessage(tokenKey), tokenKey);
          return (await macUnder(key).finally(() => key.fill(0)))(value);
        }),
      );
    },
  };
}

function withHalf(key: DerivedDataKey, { id, asked }: OwnHalf, next?: DerivedDataKey): DerivedDataKey {
  for (const own of [key.values, key.sync]) if (own) own.reason = altered;
  const made: DerivedDataKey = {
    ...key,
    createdAt: Math.min(key.createdAt, asked),
    next,
    ...(id !== null && { half: id }),
    pick: (envelope) =>
      equalBytes(key.values.commitment, envelope.commitment) ? made : (next?.pick?.(envelope) ?? made),
  };
  return made;
}

/** Returns the HMAC of a message, which is overwritten, or without a half a copy of the key itself. */
async function mixed({ mac }: OwnHalf, message: Bytes, key: Uint8Array | null): Promise<Bytes> {
  try {
    return (mac ? await mac(message) : new Uint8Array(key ?? [])) as Bytes;
  } finally {
    message.fill(0);
  }
}

const isHalf = (half: unknown): boolean =>
  half === null ||
  typeof half === 'string' ||
  (isBytes(half) ? half.length === 32 && half.some(Boolean) : !!(half as CryptoKey | undefined)?.algorithm);

const answerRule: Rule = (value) => {
  const halves = [value].flat();
  if (halves.length > 0 && halves.length <= 8 && halves.every(isHalf)) return true;
  return 'the text that `eaas half new` printed, 32 bytes that are not all zero, an HMAC key, null, or a list of 1 to 8 of these';
};

async function openAll(given: HalfAnswer, name: string, expectedId?: string, asked = Infinity) {
  requireKind(answerRule, given, name);
  const halves = await Promise.all([given].flat().map((half) => openHalf(half, asked)));
  const id = halves[0]?.id;
  // A function leaves out keys that have no half, such as intake keys.
  if (expectedId === undefined || id === expectedId || (id === null && asked < Infinity)) return halves;
  throw new InputError(
    `the first half must have the id in EAAS_HALF_ID (got ${id}): is it the half of another environment?`,
  );
}

async function openHalf(half: Half, asked: number): Promise<OwnHalf> {
  if (half === null) return { id: null, asked };
  const mac = await macOf(half);
  return { id: toHex((await mac(halfIdMessage())).subarray(0, 4)), asked, mac };
}

async function macOf(half: Exclude<Half, null>): Promise<Mac> {
  if (typeof half === 'string' || isBytes(half)) {
    const bytes = (isBytes(half) ? half : parseHalf(half)) as Bytes | string;
    if (typeof bytes === 'string') {
      throw new InputError(`a half must be what \`eaas half new\` printed (got ${bytes})`);
    }
    requireKind(answerRule, bytes, 'the half');
    return macUnder(bytes).finally(() => bytes.fill(0));
  }
  const { name, hash, length } = half.algorithm as HmacKeyAlgorithm;
  if (name !== 'HMAC' || hash.name !== 'SHA-256' || length !== 256 || !half.usages.includes('sign')) {
    throw new InputError('a CryptoKey as a half must be for HMAC-SHA-256, 256 bits long, for `sign`');
  }
  return async (message) => new Uint8Array(await crypto.subtle.sign('HMAC', half, message));
}
