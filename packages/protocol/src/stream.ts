export { openStream } from './stream-open.ts';
export { type EncryptedFile, type FileOptions, openFile, type Range } from './stream-range.ts';
export { sealStream, type StreamOptions } from './stream-seal.ts';
export { ciphertextSize, plaintextSize } from './stream-size.ts';
export type { RangeContent, RangeSource } from './stream-source.ts';
export { findStreamHead, maxHeadLength, parseStreamHead, type StreamHead } from './stream-head.ts';
