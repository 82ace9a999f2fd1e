/** Thrown if the configuration or the database cannot be used. Its message tells the operator what to do. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
