export const junk = {
  brackets: (bytes) => Buffer.from('['.repeat(bytes / 2) + ']'.repeat(bytes / 2)),
  'brackets never closed': (bytes) => Buffer.alloc(bytes, '['),
  'distinct names': (bytes) => filled(bytes, '{', (nth) => `"${nth}":0`, '}'),
  'objects of many shapes': (bytes) => filled(bytes, '[', (nth) => `{"a${nth}":0}`, ']'),
  'empty objects': (bytes) => filled(bytes, '[', () => '{}', ']'),
  'empty lists as items': (bytes) => filled(bytes, '{"items":[', () => '[]', ']}'),
  'objects as items': (bytes) => filled(bytes, '{"items":[', () => '{}', ']}'),
  'items of names with escapes': (bytes) => filled(bytes, '{"items":[', () => names('\\u0061\\u0062'), ']}'),
  'items of names with surrogates': (bytes) =>
    filled(bytes, '{"items":[', () => names('\\ud83d\\udd11'), ']}'),
  zeros: (bytes) => filled(bytes, '[', () => '0', ']'),
  'a long string': (bytes) => Buffer.from(`"${'a'.repeat(bytes - 2)}"`),
  'escaped quotes': (bytes) => Buffer.from(`"${String.raw`\"`.repeat(Math.floor((bytes - 2) / 2))}"`),
  'a long number': (bytes) => Buffer.alloc(bytes, '1'),
  'a long name': (bytes) => Buffer.from(`{"${'a'.repeat(bytes - 6)}":0}`),
  'ill-formed UTF-8': (bytes) => Buffer.alloc(bytes, 0xc3),
} satisfies Record<string, (bytes: number) => Buffer>;

/** An object with nearly as many names as an item may have. */
const names = (start: string): string =>
  `{${Array.from({ length: 9_000 }, (_, nth) => `"${start}${nth}":0`).join()}}`;

function filled(bytes: number, start: string, member: (nth: number) => string, end: string): Buffer {
  const members: string[] = [];
  let left = bytes - start.length - end.length;
  for (let nth = 0; ; nth++) {
    const text = member(nth);
    left -= text.length + 1;
    if (left < 0) break;
    members.push(text);
  }
  return Buffer.from(start + members.join(',') + end);
}
