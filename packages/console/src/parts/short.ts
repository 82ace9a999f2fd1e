/** The beginning of an id or a hash: enough to tell it from others on one page. */
export function short(text: string, length = 8): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** A number with its noun: `1 entry`, `2,000 entries`. */
export function counted(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`;
}

/** A message as a sentence: a capital letter, and a full stop. */
export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
