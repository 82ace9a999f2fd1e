/** Says that a column may still hold plaintext, and how it is read. */
export interface Plaintext<Value> {
  /** The value that is stored. Throws for what is none. */
  read(stored: unknown): Value;
}

/**
 * For a column that is being migrated, `text({ previous: plaintext() })`: what is stored and is no ciphertext is taken
 * for the value. A ciphertext that does not open remains an error. Where the database keeps the plaintext in another
 * form than the field's type, give the function that reads it: `number({ previous: plaintext(Number) })`. As long as it
 * stands there, whoever can write to the database can write values; count them (`reads`), and remove it at none.
 */
export function plaintext<Value>(read?: (stored: unknown) => Value): Plaintext<Value> {
  return { read: read ?? ((stored) => stored as Value) };
}
