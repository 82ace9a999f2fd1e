// Small changes to texts that all pages share: a short id, a number with its noun, a whole sentence.
export function short(text: string, length = 8): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

export function counted(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`;
}

export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
