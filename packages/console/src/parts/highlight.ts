// Divides code into keywords, texts and remarks to colour, and words with a hyphen not to break, for the console and the API page.
export interface Piece {
  readonly text: string;
  readonly kind?: 'word' | 'text' | 'remark' | 'flag';
}

const parts = {
  remark: /\/\/.*/,
  text: /'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*"/,
  flag: /(?<=\s)(?:--[\w-]+|[a-z]+-[a-z]+\b)/,
  word: /\b(?:import|from|const|await|new|return|for|of|if|true|false|null)\b/,
};
const pattern = new RegExp(
  Object.entries(parts)
    .map(([name, { source }]) => `(?<${name}>${source})`)
    .join('|'),
  'g',
);

export function highlight(code: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    if (match.index > at) pieces.push({ text: code.slice(at, match.index) });
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    pieces.push({ text: match[0], kind: kind as Exclude<Piece['kind'], undefined> });
    at = match.index + match[0].length;
  }
  if (at < code.length) pieces.push({ text: code.slice(at) });
  return pieces;
}
