// The parts of a text that can be searched: all of it, its first or last characters, its prefixes, its words.
import { countFrom, requireKind } from '@eaas/protocol/internal';
import { type PartIndex, textIndex, type TextPartOptions, type TextRule } from './part-index.ts';
import { ofUnicode15 } from './unicode-15.ts';
import { refuse } from './value-types.ts';

export function wholeText<const Column extends string | true = true>(
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, false, NoInfer<Column>> {
  const partsOf = (text: string) => (text === '' ? [] : [text]);
  return textIndex('part.wholeText', { isList: false, partsOf, soughtBy: partsOf }, options);
}

const ends =
  (name: string, select: (all: readonly string[], length: number) => readonly string[]) =>
  <const Column extends string | true = true>(
    length: number,
    options: TextPartOptions<Column> = {},
  ): PartIndex<string, string, false, NoInfer<Column>> => {
    requireLengths(name, length);
    const partOf = (all: readonly string[]) => (all.length < length ? [] : [select(all, length).join('')]);
    const rule: TextRule<false> = {
      isList: false,
      partsOf: (text) => partOf(Array.from(text)),
      soughtBy: (text) => partOf(requireCharacters(text, length)),
    };
    return textIndex(name, rule, options);
  };

export const firstCharacters = /* @__PURE__ */ ends('part.firstCharacters', (all, length) =>
  all.slice(0, length),
);
export const lastCharacters = /* @__PURE__ */ ends('part.lastCharacters', (all, length) =>
  all.slice(-length),
);

export function prefixes<const Column extends string | true = true>(
  from: number,
  upTo: number,
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, true, NoInfer<Column>> {
  requireLengths('part.prefixes', from, upTo);
  if (from > upTo) {
    refuse(
      'the first argument of `part.prefixes` (shortest length) must not be greater than the second (longest length)',
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
  return textIndex('part.prefixes', rule, options);
}

export function words<const Column extends string | true = true>(
  options: TextPartOptions<Column> = {},
): PartIndex<string, string, true, NoInfer<Column>> {
  const partsOf = (text: string) => [
    ...new Set(ofUnicode15(text).flatMap((run) => run.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [])),
  ];
  return textIndex('part.words', { isList: true, partsOf, soughtBy: partsOf }, options);
}

function requireLengths(call: string, ...lengths: readonly number[]): void {
  for (const length of lengths) {
    requireKind(countFrom(1, 64), length, `a length that is passed to \`${call}\``);
  }
}

function requireCharacters(text: string, length: number): readonly string[] {
  const all = Array.from(text);
  if (all.length < length) {
    refuse(`a text to search for must have at least ${length} characters, the shortest length in this index`);
  }
  return all;
}
