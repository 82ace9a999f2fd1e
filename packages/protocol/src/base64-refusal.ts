import { InputError } from './errors.ts';

/** What `fromBase64` throws: names the value that is wrong, and does not show it. */
export function notBase64(what: string): InputError {
  return new InputError(`${what} is not canonical base64 (standard alphabet, with padding)`);
}
