export { type ChainStep, ChainWalk, entryParts } from './audit-chain.ts';
export { fromHex, toHex } from './bytes.ts';
export { type ChainHead, checkpointText, formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
export { parseVerifierKey, tenantVerifier, type Verifier } from './checkpoint.ts';
export { formatNoteKey } from './signed-note.ts';
export { uuidFromBytes, uuidToBytes } from './uuid.ts';
