export { dataKeyFrom, dataKeyInfo, envelopeLength } from './data-key.ts';
export { type Header, parseHeader, replaceWrapped } from './envelope.ts';
