/** Shortens an id or a hash to its first characters. */
export function short(text: string, length = 8): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** Formats a number with a noun in the singular or plural, as in `1 entry` or `2,000 entries`. */
export function counted(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`;
}

/** Formats a message as a sentence that begins with a capital letter and ends with a full stop. */
export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
