export { ciphertextSize, plaintextSize } from '@eaas/protocol/stream';
export type { EncryptedFile, Range, RangeContent, RangeSource } from '@eaas/protocol/stream';
export * from './rewrap-stream.ts';
export {
  blobSource,
  handleSource,
  type ReadableHandle,
  SourceError,
  urlSource,
  type UrlSourceOptions,
} from './sources.ts';
export * from './streams.ts';
