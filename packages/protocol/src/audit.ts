export { chainHash, type ChainedEntry, entryDigest, genesisHash, type StoredEntry } from './audit-chain.ts';
export { canonicalJson } from './canonical-json.ts';
