// Prints the results of commands, what a person should know, and the next step. A program that asks for JSON gets no next step.
import { note as printNote, printJson, printRows, shown } from './kit/index.ts';
import { asTyped } from '@eaas/server/internal';

export interface Reporting {
  readonly json?: true | undefined;
}

export function printResult(record: object, options: Reporting): void {
  if (options.json) return printJson(record);
  const fields = Object.entries(record);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) process.stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`);
}

export function printResults<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  { json }: Reporting,
): void {
  if (!json && rows.length === 0) note('None.');
  else printRows(rows, columns, json === true);
}

/** Waits until the reader has taken the lines, so that a slow reader slows the stream. */
export function write(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/** Turns the message of an InputError into a sentence. */
export const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** Prints sentences for a person, on standard error: those that are not false. */
export function note(...sentences: readonly (string | false)[]): void {
  for (const sentence of sentences) if (sentence !== false) printNote(asTyped(sentence));
}

export function next(step: string, options: Reporting): void {
  if (!options.json) note(`Next: ${step}`);
}
