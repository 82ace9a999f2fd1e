// Brings texts that a search takes for equal to one form, before their fingerprint is computed.
import { suggestion } from '@eaas/protocol/internal';
import { inUnicode15, isOfUnicode15 } from './unicode-15.ts';
import { refuse, refuseValue } from './value-types.ts';

/**
 * A step of a normalization: a function that returns the same text for all texts that a search treats as equal, or a name. Steps
 * with a name do the same in every runtime, because they change only what Unicode 15.0 has assigned:
 *
 * - `trim` removes surrounding white space.
 * - `spaces` replaces each run of white space with one space.
 * - `lowercase` converts to lower case, and ignores the locale. Both small sigmas become one.
 * - `accents` removes the accents of Latin, Greek and Cyrillic letters.
 * - `digits` keeps only the digits 0 to 9.
 * - `nfc` converts to the Unicode normalization form NFC.
 * - `nfkc` converts to NFKC, which also replaces characters such as full-width letters and ligatures.
 */
export type Normalization = keyof typeof named | ((text: string) => string);

/** The white space of JavaScript today. Later versions of Unicode can add to `\s`. */
const white = '[\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';
const runs = /* @__PURE__ */ new RegExp(`${white}+`, 'g');
// Looks behind, because a run inside the text would be tried from each of its places.
const ends = /* @__PURE__ */ new RegExp(`^${white}+|(?<!${white})${white}+$`, 'g');

const named = {
  trim: (text: string) => text.replace(ends, ''),
  spaces: (text: string) => text.replace(runs, ' '),
  lowercase: /* @__PURE__ */ inUnicode15((text) => Array.from(text, lower).join('')),
  accents: /* @__PURE__ */ inUnicode15((text) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC'),
  ),
  digits: (text: string) => text.replace(/[^0-9]/g, ''),
  nfc: /* @__PURE__ */ inUnicode15((text) => text.normalize('NFC')),
  nfkc: /* @__PURE__ */ inUnicode15((text) => text.normalize('NFKC')),
} as const;

/**
 * Maps a character by itself: what is around a sigma, and decides which one it becomes, is not the same in each version of Unicode.
 * A letter can get a lower case that is newer than itself.
 */
function lower(character: string): string {
  const mapped = character === 'ς' ? 'σ' : character.toLowerCase();
  return mapped === character || isOfUnicode15(mapped) ? mapped : character;
}

const names = /* @__PURE__ */ Object.keys(named);

export function normalizer(steps: readonly Normalization[]): (text: string) => string {
  if (!Array.isArray(steps)) {
    refuse("the option `normalize` must be an array of functions and of names such as 'lowercase'");
  }
  const functions = steps.map((step: Normalization) => {
    if (typeof step === 'function') return (text: string) => requireText(step(text));
    if (Object.hasOwn(named, step)) return named[step];
    const advice = suggestion(step, names, `: expected ${names.join(', ')} or a function`);
    return refuse(`unknown normalization \`${step}\`${advice}`);
  });
  return (text) => functions.reduce((normalized, step) => step(normalized), text);
}

/**
 * Throws if a function in `normalize` did not return a string. Otherwise, all texts for which a function returns
 * undefined would have the same fingerprint.
 */
function requireText(text: string): string {
  return typeof text === 'string'
    ? text
    : refuseValue('each function in `normalize` to return a string', text);
}
