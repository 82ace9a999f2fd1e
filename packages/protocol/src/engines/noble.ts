import { gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';
import { nobleOf } from './noble-of.ts';

/** noble: runs wherever JavaScript runs. Its AES uses tables, so its timing depends on the key. Audited: version 1.0.0 only. */
export const nobleEngine: Engine<'sync', Uint8Array> = /* @__PURE__ */ nobleOf(gcm);
