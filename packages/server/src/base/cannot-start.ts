export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
