// The error for what an operator must set right first. Commands print its message alone, and end with exit code 3.
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The code of an error of Node or PostgreSQL, or an empty text. */
export function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
