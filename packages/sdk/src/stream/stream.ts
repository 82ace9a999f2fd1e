export { ciphertextSize, plaintextSize } from '@eaas/protocol/stream';
export type { EncryptedFile, Range, RangeContent, RangeSource } from '@eaas/protocol/stream';
export { rewrapHead, type RewrappedHead } from './rewrap-head.ts';
export {
  blobSource,
  handleSource,
  type ReadableHandle,
  SourceError,
  urlSource,
  type UrlSourceOptions,
} from './sources.ts';
export {
  decryptBlob,
  decryptStream,
  type DecryptStreamOptions,
  encryptBlob,
  encryptStream,
  type EncryptStreamOptions,
  openFile,
  type SizedStream,
  type StreamClient,
  type StreamProgress,
  type StreamWriter,
} from './streams.ts';
