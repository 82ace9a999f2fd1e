/** Every size and count that the wire contract fixes. Sizes are bytes; of text, bytes of UTF-8. */
export const limits = {
  /** Of `plaintext` and of `value`. */
  text: 65_536,
  keyName: 128,
  reference: 128,
  batchItems: 1_000,
  body: 2 * 1024 * 1024,
  batchBody: 8 * 1024 * 1024,
  jsonDepth: 8,
  /** Of one list or object in a body: more than any call takes. */
  jsonMembers: 10_000,
  pageDefault: 50,
  pageMaximum: 100,
  graceDays: 365,
  graceDaysDefault: 30,
  rotationDays: 3_650,
} as const;
