// Brings texts that a search takes for equal to one form, before their fingerprint is computed.
import { suggestion } from '@eaas/protocol/internal';
import { refuse, refuseValue } from './value-types.ts';

/**
 * A step of a normalization: a function that returns the same text for all texts that a search treats as equal, or a name:
 *
 * - `trim` removes surrounding white space.
 * - `spaces` replaces each run of white space with one space.
 * - `lowercase` converts to lower case, and ignores the locale.
 * - `accents` removes the accents of Latin, Greek and Cyrillic letters.
 * - `digits` keeps only the digits 0 to 9.
 * - `nfc` converts to the Unicode normalization form NFC.
 * - `nfkc` converts to NFKC, which also replaces characters such as full-width letters and ligatures.
 */
export type Normalization = keyof typeof named | ((text: string) => string);

const named = {
  trim: (text: string) => text.trim(),
  spaces: (text: string) => text.replace(/\s+/g, ' '),
  lowercase: (text: string) => text.toLowerCase(),
  accents: (text: string) =>
    text
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFC'),
  digits: (text: string) => text.replace(/[^0-9]/g, ''),
  nfc: (text: string) => text.normalize('NFC'),
  nfkc: (text: string) => text.normalize('NFKC'),
} as const;

const names = /* @__PURE__ */ Object.keys(named);

export function normalizer(steps: readonly Normalization[]): (text: string) => string {
  if (!Array.isArray(steps))
    refuse("the option `normalize` must be an array of functions and of names such as 'lowercase'");
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
