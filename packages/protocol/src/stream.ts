export { openStream } from './stream-open.ts';
export { sealStream, type StreamOptions } from './stream-seal.ts';
export { ciphertextSize, plaintextSize } from './stream-size.ts';
export { maxHeadLength, parseStreamHead, rewrapStreamHead, type StreamHead } from './stream-head.ts';
