// What an app imports to encrypt files and streams of any size, and to move them under a newer version of their key.
export { ciphertextSize, plaintextSize } from '@eaas/protocol/stream';
export type { EncryptedFile, RangeSource } from '@eaas/protocol/stream';
export { rewrapHead, type RewrappedHead } from './rewrap-head.ts';
export { type FileSource, type ReadableHandle, SourceError } from './sources.ts';
export * from './streams.ts';
export type { StreamClient, StreamWriter } from './wrapping.ts';
