/*! Packages have their own copy of zod: MIT License, Copyright (c) 2025 Colin McDonnell */
import * as z from 'zod/mini';
import { isBase64 } from '../base64.ts';
import { type Context, encodeContext } from '../context.ts';
import { limits } from './limits.ts';
import { hasControlCharacter, utf8Length } from '../text.ts';
import { personName } from '../uuid.ts';
import { parseTimestamp } from './timestamp.ts';

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function text(check: (text: string) => boolean, message: string) {
  return z.string().check(z.refine(check, message));
}

export function integer(minimum: number, maximum?: number) {
  const message = `must be a whole number ${rangeOf(minimum, maximum)}`;
  return z.int().check(z.refine((value) => value >= minimum && value <= (maximum ?? Infinity), message));
}

export function sized(most: number) {
  const message = `must have 1 to ${most} items`;
  return z.refine<readonly unknown[]>((items) => items.length >= 1 && items.length <= most, message);
}

function rangeOf(minimum: number, maximum?: number): string {
  return maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
}

/**
 * The id of a key. This schema accepts any string, because the service responds with 404, and not with 400, to a text
 * that is not a UUID.
 */
export const keyId = z.string().register(z.globalRegistry, { format: 'uuid' });

export const uuid = z.string().register(z.globalRegistry, { format: 'uuid' });
export const time = z.string().register(z.globalRegistry, { format: 'date-time' });
export const count = z.int().register(z.globalRegistry, { minimum: 0 });
export const hex = z.string().register(z.globalRegistry, { pattern: '^[0-9a-f]{64}$' });

/** A fingerprint of a value. Unlike other hashes, the SDK checks its digits, because an app searches by it. */
export const fingerprint = z.string().register(z.globalRegistry, { pattern: '^[0-9a-f]{64}$' });

/** Names the audit entry of a call. Whoever keeps it finds out later whether the log still has this entry. */
export interface Receipt {
  /** The number of the entry. */
  readonly id: number;
  /** The hash of the entry, in hexadecimal. */
  readonly hash: string;
}

export const receipt = z.object({ id: count, hash: hex });

/** The name of a person, as a request has it. */
export const subject = text((text) => {
  const length = utf8Length(text);
  return length >= 1 && length <= limits.subject;
}, `must have 1 to ${limits.subject} bytes of UTF-8`)
  .check(
    z.refine((text) => text.isWellFormed() && !hasControlCharacter(text), 'has a control character'),
    z.overwrite(personName),
  )
  .register(z.globalRegistry, { minLength: 1, maxLength: limits.subject });

/** Whose data a value is, and on whose behalf the API key acts. */
export const who = { subject: z.optional(subject), user: z.optional(subject) };

export const subjectId = text(
  (text) => /^[\da-f]{64}$/.test(text),
  'must be 64 lower-case hexadecimal characters',
);

/** An id of a subject or a user: whole, or the first half, as the audit log shows it. */
export const personId = text(
  (text) => /^[\da-f]{32}([\da-f]{32})?$/.test(text),
  'must be 32 or 64 lower-case hexadecimal characters',
);

/** The id of a subject, or `me`: a user cannot know the own id. */
export const subjectOrMe = text(
  (text) => text === 'me' || /^[\da-f]{32}([\da-f]{32})?$/.test(text),
  'must be 32 or 64 lower-case hexadecimal characters, or `me` for a user with a token',
);

export const base64 = text(
  (text) => text !== '' && isBase64(text),
  'is not canonical base64 (standard alphabet, with padding)',
).register(z.globalRegistry, { contentEncoding: 'base64' });

export const dek = base64.check(z.refine((text) => /^[^=]{43}=$/.test(text), 'must be 32 bytes in base64'));

export const plaintext = text(
  (text) => utf8Length(text) <= limits.text,
  `has more than ${limits.text} bytes of UTF-8`,
);

export const name = text((text) => {
  const length = Array.from(text.slice(0, 4 * limits.keyName)).length;
  return length >= 1 && length <= limits.keyName;
}, `must have 1 to ${limits.keyName} characters`)
  .check(z.refine((text) => !hasControlCharacter(text), 'has a control character'))
  .register(z.globalRegistry, { minLength: 1, maxLength: limits.keyName });

export function reasoned<T>(reason: (value: T) => string | undefined) {
  return z.superRefine<T>((value, issue) => {
    const message = reason(value);
    if (message) issue.addIssue({ code: 'custom', message });
  });
}

export const context = z
  .custom<Context>(isObject, {
    error: 'must be an object of strings',
    abort: true,
  })
  .check(
    reasoned((value) => {
      try {
        encodeContext(value);
      } catch (error) {
        return error instanceof Error ? error.message.replace(/^context /, '') : 'is not usable';
      }
      return undefined;
    }),
  )
  .register(z.globalRegistry, { type: 'object', additionalProperties: { type: 'string' } });

export const reference = text(
  (text) => utf8Length(text) <= limits.reference,
  `has more than ${limits.reference} bytes`,
);

function timestampWith(hintFor: (text: string) => string) {
  const explain = (text: string): string | undefined =>
    parseTimestamp(text) === undefined
      ? `must be a date with a time like 2026-08-11T09:30:00Z (RFC 3339)${hintFor(text)}`
      : undefined;
  return z.string().check(reasoned(explain)).register(z.globalRegistry, { format: 'date-time' });
}

export const timestamp = timestampWith(() => '');

export const queryTimestamp = timestampWith((text) =>
  text.includes(' ') ? '; a `+` in a query must be written %2B' : '',
);

export function wholeNumber(minimum: number, maximum?: number) {
  const isWithin = (text: string) => {
    const value = Number(text);
    return /^\d{1,16}$/.test(text) && value >= minimum && value <= (maximum ?? Number.MAX_SAFE_INTEGER);
  };
  return z
    .pipe(text(isWithin, `must be a whole number ${rangeOf(minimum, maximum)}`), z.transform(Number))
    .register(z.globalRegistry, { type: 'integer', minimum, maximum: maximum ?? Number.MAX_SAFE_INTEGER });
}

export function paging(maximum: number = limits.pageMaximum, standard: number = limits.pageDefault) {
  const limit = z
    .pipe(
      text((text) => /^0*[1-9]\d*$/.test(text), 'must be a whole number of at least 1'),
      z.transform((text) => Math.min(Number(text), maximum)),
    )
    .register(z.globalRegistry, { type: 'integer', minimum: 1, default: standard });
  return { limit: z.optional(limit), offset: z.optional(wholeNumber(0)) };
}

export const usedKey = { key_id: uuid, key_version: count };

export const page = { count, total: count, limit: count, offset: count };
