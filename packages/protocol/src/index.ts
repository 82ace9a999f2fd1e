// The root: the formats, and the calls that encrypt with noble unless they get another engine. What needs no noble is in core.ts.
export * from './core.ts';
export { deriveDataKey } from './derive.ts';
export { nobleEngine } from './engines/noble.ts';
export type { Unwrapped } from './derive.ts';
export { open, seal, type SealOptions, type Unwrap, type Wrap } from './seal.ts';
