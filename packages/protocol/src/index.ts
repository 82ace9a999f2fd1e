export { type Context, encodeContext } from './context.ts';
export { type DataKey, dataKeyFrom, dataKeyInfo, openUnder, sealUnder, wipeDataKey } from './data-key.ts';
export { deriveDataKey } from './derive-data-key.ts';
export type { Engine, EngineMode, Outcome, SealedText, SyncEngine } from './engines/engine.ts';
export { nobleEngine } from './engines/noble.ts';
export {
  type Envelope,
  type Header,
  looksLikeEnvelope,
  parseEnvelope,
  parseHeader,
  replaceWrapped,
  type Wrapped,
} from './envelope.ts';
export { DecryptionError, FormatError, InputError } from './errors.ts';
export { pae, type PaePart } from './pae.ts';
export { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
export { open, seal, type SealOptions, type Unwrap, type Wrap } from './seal.ts';
export { fromUtf8, toUtf8 } from './text.ts';
export { parseUuid } from './uuid.ts';
