// Streams and files for the SDK, which passes its own engine and so does not load noble.
export { openFile } from './stream-range.ts';
export { openStream, sealStream } from './stream-transforms.ts';
