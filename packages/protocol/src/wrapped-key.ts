/**
 * The format of one kind of wrapped key. The kinds are keys wrapped by the service, with or without the secret of a
 * subject, and keys wrapped for intake. All begin with the format and suite (2 bytes) and the key version (4 bytes).
 */
export interface WrappedForm {
  readonly formatAndSuite: number;
  readonly length: number;
}

/** The number of bytes of a wrapped key up to the end of the key version. */
export const versionEnd = 6;
/**
 * The number of bytes up to the end of the salt, in a wrapped key that the service made. The salt follows the key
 * version.
 */
export const saltEnd = 30;
export const saltLength = saltEnd - versionEnd;
/** The length in bytes of a wrapped key that the service made. The encrypted DEK and its tag follow the salt. */
export const serviceWrappedLength = 78;

/** The form of a wrapped key that the service makes. */
export const serviceForm: WrappedForm = { formatAndSuite: 0x0101, length: serviceWrappedLength };

/** The form of a wrapped key that the service makes for a subject. It opens only with that subject's secret. */
export const subjectForm: WrappedForm = { formatAndSuite: 0x0102, length: serviceWrappedLength };

/** Whether a wrapped key says that it belongs to a subject. */
export const isSubjectWrapped = (wrapped: Uint8Array): boolean => wrapped[0] === 1 && wrapped[1] === 2;

/**
 * Returns the key version in a wrapped key, or undefined for bytes of another format or length. The key version is not
 * authenticated.
 */
export function versionIn({ formatAndSuite, length }: WrappedForm, wrapped: Uint8Array): number | undefined {
  if (wrapped.length !== length || integerAt(wrapped, 0) >>> 16 !== formatAndSuite) return undefined;
  return integerAt(wrapped, 2);
}

/** A DataView would take as long as the rest of a look at a wrapped key. */
const integerAt = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)) >>>
  0;
