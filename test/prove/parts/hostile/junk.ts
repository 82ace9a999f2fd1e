export const junk = {
  brackets: (bytes) => Buffer.from('['.repeat(bytes / 2) + ']'.repeat(bytes / 2)),
  'brackets never closed': (bytes) => Buffer.alloc(bytes, '['),
  'distinct names': (bytes) => filled(bytes, '{', (nth) => `"${nth}":0`, '}'),
  'objects of many shapes': (bytes) => filled(bytes, '[', (nth) => `{"a${nth}":0}`, ']'),
  'empty objects': (bytes) => filled(bytes, '[', () => '{}', ']'),
  'empty lists as items': (bytes) => filled(bytes, '{"items":[', () => '[]', ']}'),
  'objects as items': (bytes) => filled(bytes, '{"items":[', () => '{}', ']}'),
  zeros: (bytes) => filled(bytes, '[', () => '0', ']'),
  'a long string': (bytes) => Buffer.from(`"${'a'.repeat(bytes - 2)}"`),
  'escaped quotes': (bytes) => Buffer.from(`"${String.raw`\"`.repeat(Math.floor((bytes - 2) / 2))}"`),
  'a long number': (bytes) => Buffer.alloc(bytes, '1'),
  'a long name': (bytes) => Buffer.from(`{"${'a'.repeat(bytes - 6)}":0}`),
  'ill-formed UTF-8': (bytes) => Buffer.alloc(bytes, 0xc3),
} satisfies Record<string, (bytes: number) => Buffer>;

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
