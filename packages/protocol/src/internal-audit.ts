export { type ChainStep, ChainWalk, entryParts, linkParts } from './audit-chain.ts';
export { fromHex, toHex } from './bytes.ts';
export { factActions, type KnownFacts, type LogFact, LogHistory } from './log-history.ts';
export { type ChainHead, checkpointText, formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
export { parseVerifierKey, tenantVerifier, type Verifier } from './checkpoint.ts';
export { formatNoteKey } from './signed-note.ts';
export { uuidFromBytes, uuidToBytes } from './uuid.ts';
