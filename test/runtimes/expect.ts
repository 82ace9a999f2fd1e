/** Throws unless both are the same: values, bytes, and what is made of them. */
export function same(actual: unknown, expected: unknown, what = 'it'): void {
  if (!isSame(actual, expected)) throw new Error(`${what} is ${show(actual)}, not ${show(expected)}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** The error that a call ends in. Throws when it ends in none, or in one of another code. */
export async function refused(call: () => unknown, code: string): Promise<Error & { code: string }> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    if ((error as { code?: string } | undefined)?.code === code) return error as Error & { code: string };
    throw new Error(`it was refused by ${String(error)}, not by \`${code}\``, { cause: error });
  }
  throw new Error(`it answered ${show(answer)}, and should have been refused by \`${code}\``);
}

/** The value of a result that must be one. */
export function valueOf<T>(settled: { ok: true; value: T } | { ok: false; error: Error } | undefined): T {
  if (settled?.ok) return settled.value;
  throw settled?.error ?? new Error('there is no result');
}

function isSame(actual: unknown, expected: unknown): boolean {
  if (Object.is(actual, expected)) return true;
  if (typeof actual !== 'object' || typeof expected !== 'object' || !actual || !expected) return false;
  if (actual instanceof Uint8Array || expected instanceof Uint8Array) {
    return (
      actual instanceof Uint8Array &&
      expected instanceof Uint8Array &&
      actual.length === expected.length &&
      actual.every((byte, at) => byte === expected[at])
    );
  }
  const keys = Object.keys(expected);
  return (
    Object.keys(actual).length === keys.length &&
    keys.every((key) => isSame(actual[key as keyof object], expected[key as keyof object]))
  );
}

function show(value: unknown): string {
  const text =
    value instanceof Uint8Array
      ? `bytes ${Array.from(value).join()}`
      : (JSON.stringify(value) as string | undefined);
  return (text ?? 'undefined').slice(0, 200);
}
