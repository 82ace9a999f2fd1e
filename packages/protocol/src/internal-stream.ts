export { openFile } from './stream-range.ts';
export { openStream, sealStream } from './stream-transforms.ts';
