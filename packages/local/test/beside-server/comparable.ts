const otherHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': 'only browsers need this header',
  'access-control-expose-headers': 'only browsers need this header',
  connection: 'the service in memory has no socket',
  date: 'the service in memory has no HTTP server',
  'content-length': 'the service in memory has no socket',
  'content-security-policy': 'only browsers that open a response as a page need this header',
  'keep-alive': 'the service in memory has no socket',
  'referrer-policy': 'only browsers that open a response as a page need this header',
  'transfer-encoding': 'the service in memory has no socket',
  'x-content-type-options': 'only browsers that open a response as a page need this header',
};

/**
 * Random values differ between two services, so the comparison replaces each by the position of its first occurrence.
 */
const random: readonly (readonly [string, RegExp])[] = [
  ['token', /eaas_sk_[0-9A-Za-z]{49}/g],
  ['hash', /\b[0-9a-f]{64}\b/g],
  ['uuid', /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g],
];

export class Names {
  readonly #known = new Map<string, string>();

  of(kind: string, value: string): string {
    const known = this.#known.get(value) ?? `<${kind} ${this.#known.size}>`;
    this.#known.set(value, known);
    return known;
  }
}

export function comparable(status: number, headers: Headers, body: unknown, names: Names): object {
  const shown = Array.from(headers)
    .filter(([name]) => !(name in otherHeaders))
    .map(([name, value]) => [name, shownText(value, names)]);
  return { status, headers: shown, body: shownValue(body, names) };
}

function shownValue(value: unknown, names: Names, member = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => shownValue(item, names));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(members.map(([name, inner]) => [name, shownValue(inner, names, name)]));
  }
  if (typeof value !== 'string') return value;
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
