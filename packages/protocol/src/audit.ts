export { type ChainedEntry, entryHash, entryPreimage, genesisHash, type StoredEntry } from './audit-chain.ts';
export { canonicalJson } from './canonical-json.ts';
