import { type DataKey, dataKeyInfo } from './data-key.ts';
import { type Derived, derive } from './derive.ts';
import { type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import { formatHeader, type Wrapped } from './envelope.ts';

const noSalt = /* @__PURE__ */ new Uint8Array(0);

/** Derives what seals and opens, and the commitment, from a DEK (HKDF: K || C). The DEK stays the caller's to wipe. */
export function deriveDataKey<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  wrapped: Wrapped,
): Outcome<Mode, DataKey<Mode>> {
  const header = formatHeader(1, wrapped);
  const derived = derive(engine, dek, noSalt, dataKeyInfo);
  return onward<Mode, Derived, DataKey<Mode>>(derived, (ready) => ({ engine, header, ...ready }));
}
