import { countFrom, requireKind } from '@eaas/protocol/internal';
import { type PartIndex, textIndex, type TextPartOptions, type TextRule } from './part-index.ts';
import { refuse } from './value-types.ts';

/**
 * Finds texts that are equal to the query. By default, a search ignores case and accents. Reveals which rows have the
 * same text. If the field can have only few texts, an attacker can guess them.
 */
export function wholeText<const Column extends string | true = true>(
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, false, NoInfer<Column>> {
  const partsOf = (text: string) => (text === '' ? [] : [text]);
  return textIndex('wholeText', { isList: false, partsOf, soughtBy: partsOf }, options);
}

/**
 * Finds texts by their first `length` characters. Reveals which texts begin with the same characters. If the texts
 * consist of letters and digits, an attacker can guess these characters with at most 36^`length` attempts. A text with
 * fewer than `length` characters has no fingerprint.
 */
export function firstCharacters<const Column extends string | true = true>(
  length: number,
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, false, NoInfer<Column>> {
  requireLengths('firstCharacters', length);
  return textIndex(
    'firstCharacters',
    characters(length, (all) => all.slice(0, length)),
    options,
  );
}

/**
 * Finds texts by their last `length` characters. Reveals which texts end with the same characters. Four digits can be
 * guessed in 10,000 attempts. A text with fewer than `length` characters has no fingerprint.
 */
export function lastCharacters<const Column extends string | true = true>(
  length: number,
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, false, NoInfer<Column>> {
  requireLengths('lastCharacters', length);
  return textIndex(
    'lastCharacters',
    characters(length, (all) => all.slice(-length)),
    options,
  );
}

/**
 * Finds texts by a prefix of at least `from` and at most `upTo` characters. Reveals how many first characters two texts
 * have in common. An attacker can guess the shortest prefix: a prefix of 3 letters or digits needs at most 46,656
 * guesses.
 */
export function prefixes<const Column extends string | true = true>(
  from: number,
  upTo: number,
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, true, NoInfer<Column>> {
  requireLengths('prefixes', from, upTo);
  if (from > upTo) {
    refuse(
      'the first argument of `prefixes` (shortest length) must not be greater than the second (longest length)',
    );
  }
  const rule: TextRule<true> = {
    isList: true,
    partsOf(text) {
      const all = Array.from(text).slice(0, upTo);
      return all.slice(from - 1).map((_, at) => all.slice(0, from + at).join(''));
    },
    soughtBy: (text) => [requireCharacters(text, from).slice(0, upTo).join('')],
  };
  return textIndex('prefixes', rule, options);
}

/**
 * Finds texts that contain all words of the query, in any order. Reveals the number of different words in a text, and
 * which rows share a word. An attacker can try a dictionary or a list of names. A word is a sequence of letters and
 * digits, so this index does not work for languages without spaces.
 */
export function words<const Column extends string | true = true>(
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, true, NoInfer<Column>> {
  const partsOf = (text: string) => [...new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu))];
  return textIndex('words', { isList: true, partsOf, soughtBy: partsOf }, options);
}

function characters(length: number, select: (all: readonly string[]) => readonly string[]): TextRule<false> {
  const partOf = (all: readonly string[]) => (all.length < length ? [] : [select(all).join('')]);
  return {
    isList: false,
    partsOf: (text) => partOf(Array.from(text)),
    soughtBy: (text) => partOf(requireCharacters(text, length)),
  };
}

function requireLengths(call: string, ...lengths: readonly number[]): void {
  for (const length of lengths)
    requireKind(countFrom(1, 64), length, `a length that is passed to \`${call}\``);
}

function requireCharacters(text: string, length: number): readonly string[] {
  const all = Array.from(text);
  return all.length < length
    ? refuse(
        `a text to search for must have at least ${length} characters, the shortest length in this index`,
      )
    : all;
}
