declare module '*/reference/api-key.mjs' {
  export function formatToken(bytes: Uint8Array): string;
  export function withChecksum(text: string): string;
}
declare module '*/reference/audit.mjs' {
  export function chainStart(tenantId: string): Buffer;
  export function canonicalJson(value: unknown): string;
  export function entryHash(previous: Buffer, tenantId: string, entry: object, metadata: string): Buffer;
}
declare module '*/reference/envelope.mjs' {
  export function openEnvelope(bytes: Buffer, expected: object): Buffer;
}
declare module '*/reference/people.mjs' {
  export function unwrapForSubject(wrapped: Buffer, place: object): Buffer;
}
declare module '*/reference/intake.mjs' {
  export function intakeKeyPair(place: object, versionBytes: Uint8Array): { publicKey: Buffer };
  export function publicKeyText(place: object, publicKey: Uint8Array): string;
}
declare module '*/reference/bytes.mjs' {
  export function u32(value: number): Buffer;
}
declare module '*/reference/context.mjs' {
  export function encodeContext(context: object | null): Buffer;
}
