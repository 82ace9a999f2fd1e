/** Where the ciphertext lies did not answer the part that was asked for, or it changed meanwhile. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code = 'source';
  /** The HTTP status of the answer. */
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}
