export function note(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
