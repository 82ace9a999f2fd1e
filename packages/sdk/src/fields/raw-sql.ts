// SQL that the app wrote itself, for the adapters that refuse it: what it says besides texts and comments, and which tables it
// names. Databases read SQL differently, so it is better to find a name that is none than to miss one.

/** Names in quotes, or else a text or a comment, where all databases find them. */
const tokens =
  /"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|'[^']*(?:''[^']*)*'|--(?=[ \t\r\n]|$)[^\n]*|\/\*(?:(?!\/\*|\*\/)[^])*\*\//g;

/** What only some databases read as an escape, a comment, the end of one, or a quote. */
const doubtful = /\\|#|--(?![ \t\r\n]|$)|\r(?!\n)|\/\*M?!|\$(?!\d)[^\s$]*\$|\[[^\]]*(?:["'`]|--|\/\*)/;

/** What runs a text as SQL, and what begins a text or a comment that does not end. */
const open = /\b(?:do(?!\s+(?:nothing|update)\b)|execute|prepare|function|procedure)\b|["'`]|\/\*/i;

/** A name as it stands in what `withoutTexts` returns, where no pattern of SQL takes a part of it for something else. */
const plainName = (name: string): string =>
  name.toLowerCase().replaceAll(/[^\w$]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`);

/** Returns a name in quotes with `plainName` between them, and a blank for a text or a comment. */
function plainToken(token: string): string {
  const mark = token.charAt(0);
  if (mark !== '"' && mark !== '`') return ' ';
  return mark + plainName(token.slice(1, -1).replaceAll(mark + mark, mark)) + mark;
}

/**
 * Returns SQL without its texts and comments. If not all databases find the same ones, or it can run a text, returns it as it is,
 * and once more without what seems to be texts and comments.
 */
export function withoutTexts(statement: string): string {
  const plain = statement.replaceAll(tokens, plainToken);
  const isDoubtful = doubtful.test(statement) || open.test(statement.replaceAll(tokens, ' '));
  return isDoubtful ? `${statement}\n;${plain}` : plain;
}

/** Names that no database reads as a name, unless they are in quotes or after a period. */
const reserved =
  /^(?:case|check|constraint|default|group|join|order|primary|references|select|table|union)$/i;

/** Whether SQL names a table. `isQuoted` says that the database reads the name as another one without quotes. */
export function isNamed(table: string, statement: string, isQuoted = false): boolean {
  const name = table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const before = reserved.test(table) ? '\\.\\s*' : '(?<![\\p{L}\\p{N}_])';
  const bare = isQuoted ? '' : `|${before}${name}(?![\\p{L}\\p{N}_])`;
  const plain = plainName(table).replaceAll('$', '\\$');
  return new RegExp(`["\`[](?:${name}|${plain})["\`\\]]${bare}`, 'iu').test(statement);
}
