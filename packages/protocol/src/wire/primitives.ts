import * as z from 'zod/mini';
import { isBase64 } from '#base64';
import { type Context, encodeContext } from '../context.ts';
import { limits } from './limits.ts';
import { hasControlCharacter, utf8Length } from '../text.ts';
import { parseTimestamp } from './timestamp.ts';

/** A key's id on the way in. Any string: one that is not a UUID is an unknown key (404), not a bad request. */
export const keyId = z.string().register(z.globalRegistry, { format: 'uuid' });

/** A UUID, a time, a hash on the way out. */
export const uuid = z.string().register(z.globalRegistry, { format: 'uuid' });
export const time = z.string().register(z.globalRegistry, { format: 'date-time' });
export const count = z.int().register(z.globalRegistry, { minimum: 0 });
export const hex = z.string().register(z.globalRegistry, { pattern: '^[0-9a-f]{64}$' });

/** Canonical base64 of at least one byte. */
export const base64 = z
  .string()
  .check(
    z.refine(
      (text) => text !== '' && isBase64(text),
      'is not canonical base64 (standard alphabet, with padding)',
    ),
  )
  .register(z.globalRegistry, { contentEncoding: 'base64' });

/** A data key: 32 bytes in canonical base64. */
export const dek = base64.check(
  z.refine(
    (text) => text.length === 44 && text.endsWith('=') && !text.endsWith('=='),
    'is not 32 bytes in base64',
  ),
);

/** Text that is data: every character counts, NUL and the empty text too. */
export const plaintext = z
  .string()
  .check(z.refine((text) => utf8Length(text) <= limits.text, `has more than ${limits.text} bytes of UTF-8`));

/** A name as stored: 1 to 128 characters, none of them a control character. */
export const name = z
  .string()
  .check(
    z.refine((text) => {
      const length = Array.from(text.slice(0, 4 * limits.keyName)).length;
      return length >= 1 && length <= limits.keyName;
    }, `must have 1 to ${limits.keyName} characters`),
    z.refine((text) => !hasControlCharacter(text), 'has a control character'),
  )
  .register(z.globalRegistry, { minLength: 1, maxLength: limits.keyName });

/** Names and values that are authenticated with a ciphertext and logged: no personal data belongs here. */
export const context = z
  .custom<Context>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object of strings',
    abort: true,
  })
  .check(
    z.superRefine((value, issue) => {
      try {
        encodeContext(value);
      } catch (error) {
        issue.addIssue({
          code: 'custom',
          message: error instanceof Error ? error.message.replace(/^context /, '') : 'is not usable',
        });
      }
    }),
  )
  .register(z.globalRegistry, { type: 'object', additionalProperties: { type: 'string' } });

/** A caller's own mark on a batch item, echoed in its result. */
export const reference = z
  .string()
  .check(z.refine((text) => utf8Length(text) <= limits.reference, `has more than ${limits.reference} bytes`));

/** A date with a time, RFC 3339. */
export const timestamp = z
  .string()
  .check(
    z.superRefine((text, issue) => {
      if (parseTimestamp(text) !== undefined) return;
      const hint = text.includes(' ') ? '; a `+` in a query must be written %2B' : '';
      issue.addIssue({
        code: 'custom',
        message: `is not a date with a time as in 2026-08-11T09:30:00Z (RFC 3339)${hint}`,
      });
    }),
  )
  .register(z.globalRegistry, { format: 'date-time' });

/** A whole number in a query. */
export function wholeNumber(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER) {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum} on` : `from ${minimum} to ${maximum}`;
  return z
    .pipe(
      z.string().check(
        z.refine((text) => {
          const value = Number(text);
          return /^\d{1,16}$/.test(text) && value >= minimum && value <= maximum;
        }, `is not a whole number ${range}`),
      ),
      z.transform(Number),
    )
    .register(z.globalRegistry, { type: 'integer', minimum, maximum });
}

/** Page size: however much more than 100 is asked for is 100, without an error. */
export const pageLimit = z
  .pipe(
    z.string().check(z.refine((text) => /^\d*[1-9]\d*$/.test(text), 'is not a whole number from 1 on')),
    z.transform((text) => Math.min(Number(text), limits.pageMaximum)),
  )
  .register(z.globalRegistry, { type: 'integer', minimum: 1, default: limits.pageDefault });

/** The members that every page of a list has. */
export const page = { count, total: count, limit: count, offset: count };
