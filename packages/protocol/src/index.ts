export * from './core.ts';
export { deriveDataKey } from './derive.ts';
export { nobleEngine } from './engines/noble.ts';
export type { Unwrapped } from './derive.ts';
export { open, seal, type SealOptions, type Unwrap, type Wrap } from './seal.ts';
