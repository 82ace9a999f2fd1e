export { ciphertextSize, plaintextSize } from '@eaas/protocol/stream';
export type { EncryptedFile, Range, RangeContent, RangeSource } from '@eaas/protocol/stream';
export { blobSource } from './blob-source.ts';
export { decryptBlob, encryptBlob, type SizedStream } from './blobs.ts';
export { handleSource, type ReadableHandle } from './handle-source.ts';
export { openFile } from './open-file.ts';
export type {
  DecryptStreamOptions,
  EncryptStreamOptions,
  OpenOptions,
  Progress,
  StreamClient,
} from './options.ts';
export { rewrapHead, type RewrappedHead, rewrapStream } from './rewrap-stream.ts';
export { SourceError } from './source-error.ts';
export { decryptStream, encryptStream } from './streams.ts';
export { urlSource, type UrlSourceOptions } from './url-source.ts';
