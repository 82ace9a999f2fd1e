// What the catalogue of a database says of checks and indexes. Databases rewrite the texts of checks. Two are the same if they differ
// only in quotes of names, the case of words, casts to text, and some parentheses, so no weaker one passes for another.

const token = /--.*|\/\*(?!!)[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|~~|\w+|\S/g;
const flat = "(?:'(?:[^']|'')*'|[^()'])*";
const rules: readonly (readonly [RegExp, string])[] = [
  [/ : : text\b| [^ ]+ \.(?= )| _\w+(?= ')/g, ''],
  [/cast \( ('[^']*') as (?:char charset )?binary \)/g, 'binary $1'],
  // The index by which SQLite refuses rows for a table of Drizzle.
  [/where case when not (\( .* \)) then json_extract \( json_quote \( [^()]* \) , '\w+' \) end$/, 'check $1'],
  [/\( ([^()' ]+(?: is (?:not )?null)?) \)/g, '$1'],
  [new RegExp(`\\( (\\( ${flat} \\)) \\)`, 'g'), '$1'],
];
const partly = '(?:/ \\* ! \\d+ )?(?:not (?:valid|enforced)|no inherit)';
const check = new RegExp(`\\bcheck \\( (?:${flat}|\\( ${flat} \\))* \\)( ${partly})?`, 'g');

/** A text of SQL in the form that all databases share. */
export function plain(text: string): string {
  const tokens = (text.match(token) ?? []).filter((each) => !/^(?:--|\/\*)/.test(each));
  const words = tokens.map((each) => {
    if (/^["`]/.test(each)) return each.slice(1, -1);
    return each.startsWith("'") ? each : each.replace('~~', 'like').toLowerCase();
  });
  return rules.reduce((whole, [pattern, by]) => whole.replace(pattern, by), words.join(' '));
}

/** The checks in a text of `describe`. One that is not true of all rows says so at its end. */
export const checksIn = (text: string): string[] => plain(text).match(check) ?? [];

/** Matches a text of `describe` with an index that serves searches by a column alone. */
export function indexOn(column: string, isList: boolean): RegExp {
  const kind = isList
    ? '(?:FULLTEXT|GIN) KEY .*\\b'
    : '(?:(?:UNIQUE|PRIMARY|BTREE|HASH) )?KEY (?:`[^`]*` )?\\(';
  return new RegExp(`^ {2}${kind}["\`]?${column.replaceAll(/\W/g, '\\$&')}["\`]?[,) (]`, 'm');
}
