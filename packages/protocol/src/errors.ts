/** The bytes are not an envelope: wrong magic, unknown version, or lengths that do not add up. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly code = 'format';
}

/**
 * The envelope did not open. One text for every cause (altered bytes, another key, another context), because
 * the difference would help only whoever forged it.
 */
export class DecryptionError extends Error {
  override readonly name = 'DecryptionError';
  readonly code = 'decryption';
  constructor() {
    super('decryption failed: altered, or sealed under another key or context');
  }
}

/** An argument cannot be used: the message says which, and why. */
export class InputError extends TypeError {
  override readonly name = 'InputError';
  readonly code = 'input';
}
