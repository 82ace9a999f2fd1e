/** A secret as the platform keeps it: a KeyObject in Node, bytes elsewhere. Made and used by `#platform` alone. */
export interface Secret {
  readonly isSecret?: never;
}
