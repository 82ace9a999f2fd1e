/** The limits of the wire contract. Sizes are in bytes, and sizes of text are in bytes of UTF-8. */
export const limits = {
  text: 65_536, // bytes of `plaintext` and of `value`
  keyName: 128,
  reference: 128,
  subject: 256, // bytes of `subject` and of `user`
  batchItems: 1_000,
  body: 2 * 1024 * 1024,
  jsonDepth: 8,
  jsonMembers: 10_000,
  jsonNames: 10_000, // members of all objects in a body, or in one item of a batch
  jsonValues: 100_000, // values in a body, and in all items of a batch together
  pageDefault: 50,
  pageMaximum: 100,
  countedEntries: 10_000, // of a person or an actor: `total` of a longer audit log is null
  graceDays: 365,
  graceDaysDefault: 30,
  rotationDays: 3_650,
  keyVersions: 10_000,
  versionsDefault: 100,
  versionsMaximum: 1_000, // versions in the largest page, and in one export
  exportedSubjects: 1_000, // in one export
  keyIds: 256,
  allowedOrigins: 32,
  origin: 256, // bytes of one allowed origin
  apiKeys: 1_000, // API keys of a tenant that are neither revoked nor expired
  issuers: 32, // issuers of a tenant that are not revoked
  issuerKeys: 16,
  issuerTrust: 16 * 1024, // bytes of `jwks` and `require` together, as canonical JSON
  keySet: 64 * 1024, // bytes of a key set that the service fetches
  keySetUri: 1_024,
  issuerText: 256, // bytes of the names and values of claims
  requiredClaims: 16,
  requiredValues: 64, // accepted values of one required claim
  token: 8 * 1024, // bytes of a token of a sign-in
  tokenAge: 86_400, // seconds
  metadata: 40 * 1024, // for one audit entry, as JSON
} as const;
