// Names of tables and columns that people do give, or that a migration from another product has: crossed from what a name can
// have at its beginning, in the middle and at its end. A list of names that somebody thought of lacks the next one.

/** What databases take in a name in quotes, and what a check that reads SQL as text could stumble over. */
const parts = [
  ' ',
  '"',
  '""',
  '`',
  "'",
  '.',
  '$',
  '-',
  '--',
  '/*',
  ']',
  '(',
  ',',
  ';',
  '=',
  '\\',
  'É',
  '_',
  '9',
];

/** Names with capitals, and with each of these parts in each place. */
export const unusualNames: readonly string[] = [
  'lower',
  'Capital',
  'camelCase',
  'ALL',
  'Order',
  ...parts.flatMap((part) => [`Birth${part}name`, `${part}birth`, `Birth${part}`]),
];

/** How PostgreSQL and SQLite write a name that is not of lower-case letters. */
export const inDoubleQuotes = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** How MySQL writes it. */
export const inBackticks = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
