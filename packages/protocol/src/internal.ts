export { fixContext } from './context.ts';
export { dataKeyFrom, dataKeyInfo, envelopeLength } from './data-key.ts';
export { type Header, notCiphertext, parseHeader, readHeader, withBody } from './envelope.ts';
export { toHex } from './bytes.ts';
export { LoadError } from './errors.ts';
export { formatIndexKey, indexKeyContext, parseIndexKey } from './index-key.ts';
export { nearestOf } from './nearest.ts';
export { escapeHidden, inLine, utf8Length } from './text.ts';
export { replaceWrapped, storedCiphertext } from './envelope.ts';
