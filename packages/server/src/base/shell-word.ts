/** Quotes the word if a shell would not read it as one word. */
export function asWord(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * The text with its commands as the user types them: if npm runs this program, the shell usually does not find `eaas`.
 * With `--no-install`, npx never fetches a package from npm, where somebody else could have registered the name.
 */
export function asTyped(text: string): string {
  return process.env['npm_command'] ? text.replaceAll('`eaas ', '`npx --no-install @eaas/cli ') : text;
}
