export function same(actual: unknown, expected: unknown, what = 'it'): void {
  const [got, wanted] = [canonical(actual), canonical(expected)];
  if (got !== wanted) throw new Error(`${what} is ${got.slice(0, 200)}, expected ${wanted.slice(0, 200)}`);
}

export async function refused(call: () => unknown, code: string): Promise<Error & { code: string }> {
  let result: unknown;
  try {
    result = await call();
  } catch (error) {
    if ((error as { code?: string } | undefined)?.code === code) return error as Error & { code: string };
    throw new Error(`expected an error with the code ${code}, got ${String(error)}`, { cause: error });
  }
  throw new Error(`expected an error with the code ${code}, got ${canonical(result).slice(0, 200)}`);
}

export function valueOf<T>(settled: { ok: true; value: T } | { ok: false; error: Error } | undefined): T {
  if (settled?.ok) return settled.value;
  throw settled?.error ?? new Error('expected a result with a value or an error (got undefined)');
}

export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** Writes bytes and `undefined` as objects such as `{ '(undefined)': true }`, because JSON has neither. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (member instanceof Uint8Array) return { '(bytes)': Array.from(member).join() };
    if (member === undefined) return { '(undefined)': true };
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
