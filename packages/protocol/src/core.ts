// What the root exports, without the code that needs noble. The SDK imports it from here, because Node would otherwise
// load noble at the start of every process.
export { type Context, encodeContext } from './context.ts';
export { type DataKey, openUnder, sealUnder, wipeDataKey } from './data-key.ts';
export type { Engine, EngineMode, Outcome, SyncEngine } from './engines/engine.ts';
export { type Envelope, looksLikeEnvelope, parseEnvelope, type Wrapped } from './envelope.ts';
export { DecryptionError, EaasError, FormatError, InputError } from './errors.ts';
export { pae, type PaePart } from './pae.ts';
export { type ExpectedKey, requireExpectedKey } from './expected-key.ts';
export { fromUtf8, toUtf8 } from './text.ts';
export { parseUuid } from './uuid.ts';
