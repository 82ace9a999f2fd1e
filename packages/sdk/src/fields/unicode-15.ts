// Keeps fingerprints the same in every runtime. Each has its own version of Unicode, and a later one lets more characters be
// letters, compose and have a lower case. What Unicode 15.0 has not assigned is changed by no step, and is part of no word.
import lengths from './unicode-15.json' with { type: 'json' };

let known: RegExp | undefined;

/**
 * Matches runs of what is assigned. The list has the lengths of the runs, in the order of code points: one that is assigned, one
 * that is not, and so on. They are numbers in base 26, and the last letter of each is in upper case.
 */
function assigned(): RegExp {
  if (known) return known;
  let ranges = '';
  let from = 0;
  let isAssigned = true;
  for (const [digits] of lengths.matchAll(/[a-z]*[A-Z]/g)) {
    let length = 0;
    for (const digit of digits) length = length * 26 + Number.parseInt(digit, 36) - 10;
    if (isAssigned) ranges += `\\u{${from.toString(16)}}-\\u{${(from + length - 1).toString(16)}}`;
    from = from + length;
    isAssigned = !isAssigned;
  }
  known = new RegExp(`[${ranges}]+`, 'gu');
  return known;
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Returns the runs of a text that Unicode 15.0 has assigned. What is between them would not reach over them in that version. */
export const ofUnicode15 = (text: string): readonly string[] =>
  isAscii(text) ? [text] : (text.match(assigned()) ?? []);

/** Whether Unicode 15.0 has assigned all of a text. */
export const isOfUnicode15 = (text: string): boolean => ofUnicode15(text).join('') === text;

/** Makes a function that changes the runs of a text that Unicode 15.0 has assigned, each by itself. */
export const inUnicode15 =
  (change: (text: string) => string) =>
  (text: string): string =>
    isAscii(text) ? change(text) : text.replace(assigned(), change);
