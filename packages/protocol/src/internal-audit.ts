export { type ChainStep, ChainWalk, entryParts } from './audit-chain.ts';
export { fromHex, toHex } from './bytes.ts';
export { type ChainHead, checkpointText, formatCheckpoint, formatVerifierKey } from './signed-note.ts';
export { keyIdInput, parseCheckpoint, parseVerifierKey, type Verifier } from './signed-note.ts';
export { uuidFromBytes, uuidToBytes } from './uuid.ts';
