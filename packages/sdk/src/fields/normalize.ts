import { refuse } from './value-type.ts';

/** Brings texts that should be found alike to one spelling. */
export type Normalization = NamedNormalization | ((text: string) => string);

/**
 * `trim`: no white space around; `spaces`: each run of white space becomes one space; `lowercase`: without regard to
 * language; `digits`: nothing but 0 to 9; `nfc`, `nfkc`: the forms of Unicode, of which `nfkc` also unites what merely
 * looks different (full-width letters, ligatures).
 */
export type NamedNormalization = keyof typeof named;

const named = {
  trim: (text: string) => text.trim(),
  spaces: (text: string) => text.replace(/\s+/g, ' '),
  lowercase: (text: string) => text.toLowerCase(),
  digits: (text: string) => text.replace(/[^0-9]/g, ''),
  nfc: (text: string) => text.normalize('NFC'),
  nfkc: (text: string) => text.normalize('NFKC'),
} as const;

/** One function of all the steps, in their order. Throws InputError for a name that there is not. */
export function normalizer(steps: readonly Normalization[]): (text: string) => string {
  const functions = steps.map((step) => {
    if (typeof step === 'function') return step;
    return Object.hasOwn(named, step) ? named[step] : refuse(`no normalization is called ${step}`);
  });
  return (text) => functions.reduce((normalized, step) => step(normalized), text);
}
