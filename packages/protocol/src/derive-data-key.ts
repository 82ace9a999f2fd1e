import { type DataKey, dataKeyInfo, dataKeyOf } from './data-key.ts';
import { type Derived, derive } from './derive.ts';
import { type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import type { Wrapped } from './envelope.ts';

const noSalt = /* @__PURE__ */ new Uint8Array(0);

/** Derives what seals and opens, and the commitment, from a DEK (HKDF: K || C). The DEK stays the caller's to wipe. */
export function deriveDataKey<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  wrapped: Wrapped,
): Outcome<Mode, DataKey<Mode>> {
  const derived = derive(engine, dek, noSalt, dataKeyInfo);
  return onward<Mode, Derived, DataKey<Mode>>(derived, (ready) => dataKeyOf(engine, ready, wrapped));
}
