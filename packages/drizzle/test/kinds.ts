export const values = {
  text: ['Ada Lovelace', 'Grace Hopper', 'Joan Clarke'],
  note: ['Konrad Zuse', 'Alan Turing', 'Mary Allen'],
  number: [81.25, -7, 16],
  bigint: [90_071_992_547_409_937n, -2n, 3n],
  boolean: [true, false, true],
  date: [
    new Date('1815-12-10T00:00:00Z'),
    new Date('1906-12-09T00:00:00Z'),
    new Date('1910-06-22T00:00:00Z'),
  ],
  bytes: [new Uint8Array([80, 76, 65, 73, 78]), new Uint8Array([1]), new Uint8Array(0)],
  json: [{ tags: ['Countess'] }, { tags: [] }, []],
} as const;

export type Kind = keyof typeof values;

export const kinds = Object.keys(values) as Kind[];

export const titles: Readonly<Record<Kind, string>> = {
  text: 'text',
  note: 'text, not searchable',
  number: 'number',
  bigint: 'bigint',
  boolean: 'boolean',
  date: 'date',
  bytes: 'bytes',
  json: 'JSON',
};

export const plaintext =
  /Ada Love|Grace H|Konrad|Alan T|81\.25|90071992547409937|1815-12|1906-12|PLAIN|Countess/;
