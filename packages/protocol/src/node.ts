export { nodeEngine } from './engines/node.ts';
export { type SealedText, sealText } from './engines/node-text.ts';
