// The default engine of `seal`, `open` and the streams, for callers that pass none.
import { gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';
import { nobleOf } from './noble-of.ts';

/**
 * The engine of `@noble/ciphers`, which runs in every JavaScript runtime. Its AES uses lookup tables, so its timing
 * depends on the key. Only version 1.0.0 of noble was audited.
 */
export const nobleEngine: Engine<'sync', Uint8Array> = /* @__PURE__ */ nobleOf(gcm);
