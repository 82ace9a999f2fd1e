/** What may be logged of an error. Without its message: those of libraries quote the values that they stumble over. */
export interface DescribedError {
  readonly name: string;
  readonly code?: string;
  readonly frames: readonly string[];
  readonly cause?: DescribedError;
}

/** An error as its name, its code and where it was thrown, causes included. */
export function describeError(error: unknown, depth = 3): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] };
  const code = 'code' in error && /^\w{1,64}$/.test(String(error.code)) ? String(error.code) : undefined;
  return {
    name: error.name,
    frames: frames(error),
    ...(code !== undefined && { code }),
    ...(error.cause !== undefined && depth > 0 && { cause: describeError(error.cause, depth - 1) }),
  };
}

function frames(error: Error): string[] {
  const stack = error.stack ?? '';
  const afterMessage = stack.slice(stack.indexOf(error.message) + error.message.length);
  return (stack.includes(error.message) ? afterMessage : '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .map((line) => line.trim())
    .slice(0, 12);
}
