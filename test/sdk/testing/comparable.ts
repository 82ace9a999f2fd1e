/** Headers that differ, and why. The rest of an answer's headers are compared. */
const otherHeaders: Readonly<Record<string, string>> = {
  connection: 'of a socket',
  date: 'of a server',
  'content-length': 'of a socket',
  'content-security-policy': 'for a browser that opens an answer as a page',
  'keep-alive': 'of a socket',
  'referrer-policy': 'for a browser that opens an answer as a page',
  'transfer-encoding': 'of a socket',
  'x-content-type-options': 'for a browser that opens an answer as a page',
};

/** What is random has another value on each side, and is compared by where it was first seen. */
const random: readonly (readonly [string, RegExp])[] = [
  ['token', /eaas_sk_[0-9A-Za-z]{49}/g],
  ['hash', /\b[0-9a-f]{64}\b/g],
  ['uuid', /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g],
];

/** Names for what one side has made at random, in the order in which it shows it. */
export class Names {
  readonly #known = new Map<string, string>();

  of(kind: string, value: string): string {
    const known = this.#known.get(value) ?? `<${kind} ${this.#known.size}>`;
    this.#known.set(value, known);
    return known;
  }
}

/** An answer as it should be the same on both sides. */
export function comparable(status: number, headers: Headers, body: unknown, names: Names): object {
  const shown = Array.from(headers)
    .filter(([name]) => !(name in otherHeaders))
    .map(([name, value]) => [name, shownText(value, names)]);
  return { status, headers: shown, body: shownValue(body, names) };
}

function shownValue(value: unknown, names: Names, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => shownValue(item, names));
  if (typeof value === 'object' && value !== null) {
    // In one order: of what is the same object, JSON may write the members in another.
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members.map(([name, inner]) => [name, shownValue(inner, names, name)]));
  }
  if (typeof value !== 'string') return value;
  // Each has its own words, but both name the field that is wrong.
  if (member === 'detail') return value.match(/`[^`]*`/)?.[0] ?? '';
  if (member === 'hint') return value.length;
  if (isRandomBytes(value)) return `${names.of('bytes', value)}, ${value.length}`;
  if (member === 'checkpoint' || member === 'verifier_key') {
    return shownText(value.replace(/[0-9a-f]{8}\+\S+$|[A-Za-z0-9+/=]{40,}/gm, '<bytes>'), names);
  }
  return shownText(value, names);
}

function isRandomBytes(text: string): boolean {
  return /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text) && !/^[0-9a-f-]+$/.test(text);
}

function shownText(text: string, names: Names): string {
  return random.reduce(
    (shown, [kind, pattern]) => shown.replace(pattern, (value) => names.of(kind, value)),
    text,
  );
}
