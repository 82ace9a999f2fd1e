import type { SdkError } from '../errors.ts';

/** Why a value could not be converted, or a row not written. */
export type FailureCode = SdkError['code'] | keyof typeof ownReasons;

/** The reasons that no call of a client gives. */
const ownReasons = {
  invalid_response: 'the client answered nothing for this value',
  key_version:
    'the key, or a data key of it that is still in memory, has an older version than the one asked for',
  not_verified: 'what would have been written does not open to what is stored; it was not written',
  conflict: 'somebody else changed the row each time that it was tried',
  store: 'the store threw whenever this row was to be written',
} as const;

/** Why a value or a row is left over, for a switch and for people. */
export interface Reason {
  readonly code: FailureCode;
  readonly message: string;
  /** Whether it may pass: then it is waited for, and is no failure. */
  readonly retryable?: boolean;
}

export function reason(code: keyof typeof ownReasons): Reason {
  return { code, message: ownReasons[code] };
}
