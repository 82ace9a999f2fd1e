// What computes the hashes of audit entries, without the code of the public log: services and the command line import it.
export { chainHash, type ChainedEntry, entryDigest, genesisHash, type StoredEntry } from './audit-chain.ts';
export { canonicalJson } from './canonical-json.ts';
