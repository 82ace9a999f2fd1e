// The option `half`: 32 bytes of the app's own that are mixed into each data key, so that the service alone opens nothing.
// What a client needs for it is loaded only for clients that have it.
import { type CryptoKey, InputError, type Rule } from '@eaas/protocol/internal';
import { required } from '../caller.ts';
import { copied } from '../data-keys/ciphertext.ts';
import type { Limits } from '../data-keys/limits.ts';
import { load as loadFile, once } from '../errors.ts';
import type { createHalves } from './halves.ts';

/**
 * A second half: 32 bytes, the text that `eaas half new` prints, or an HMAC key of WebCrypto, which a script can use and not
 * read. Null stands for values without a half.
 */
export type Half = Uint8Array | string | CryptoKey | null;

/** One half, or at most 8: the first encrypts, and all are tried for decryption. */
export type HalfAnswer = Half | readonly Half[];

/** Whose data key or index key it is. `subject` is undefined for nobody's values, and for index keys. */
interface HalfQuestion {
  readonly keyId: string;
  readonly subject: string | undefined;
}

/** The halves of a client, or a function that returns those for a key and a person. */
export type HalfOption = HalfAnswer | ((of: HalfQuestion) => HalfAnswer | Promise<HalfAnswer>);

/** The halves of a client. `load` loads what mixes them into data keys and index keys. */
export interface Halves {
  readonly load: () => Promise<ReturnType<typeof createHalves>>;
  /** Forgets the answers of a function. */
  readonly drop: () => void;
}

/** Refuses what a mistyped name or a wrong variable makes of the option. The rest is checked before the first request. */
export const halfRule: Rule = /* @__PURE__ */ required(
  (half) => [half].flat().every(couldBeHalf) || 'what `eaas half new` printed',
);

const couldBeHalf = (half: unknown): boolean =>
  typeof half === 'string' ? half.startsWith('eaas_half_') : /object|function/.test(typeof half);

/** Throws InputError for what would show values to the service, if the client has a half. `remedy` is what to do instead. */
export function refuseHalf(halves: Halves | undefined, what: string, remedy: string): void {
  if (!halves) return;
  throw new InputError(
    `\`${what}\` shows values to the service, which a client with a half never does: ${remedy}, or leave out \`half\` and ` +
      'unset EAAS_HALF',
  );
}

/** Returns the halves of a client, or undefined for a client without any. `id`: the id that the first must have. */
export function halvesOf(limits: Limits, given?: HalfOption, id?: string): Halves | undefined {
  if (given === undefined || given === null) return undefined;
  const own = copied(given);
  let halves: ReturnType<typeof createHalves> | undefined;
  const load = once(async () => {
    const { createHalves } = await loadFile('halves', import('./halves.ts'));
    halves = createHalves(own, id, limits);
    return halves;
  });
  return { load, drop: () => halves?.drop() };
}
