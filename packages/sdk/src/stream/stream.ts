export { ciphertextSize, plaintextSize } from '@eaas/protocol/stream';
export type { EncryptedFile, ByteRange, RangeSource } from '@eaas/protocol/stream';
export { rewrapHead, type RewrappedHead } from './rewrap-head.ts';
export { type FileSource, type ReadableHandle, SourceError } from './sources.ts';
export {
  decryptBlob,
  decryptStream,
  type DecryptStreamOptions,
  encryptBlob,
  encryptStream,
  type EncryptStreamOptions,
  openFile,
  type OpenFileOptions,
  type SizedStream,
  type StreamClient,
  type StreamProgress,
  type StreamWriter,
} from './streams.ts';
