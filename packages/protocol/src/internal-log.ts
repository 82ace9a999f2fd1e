export { buildPrefixTree, leafOf, positionOf, type PrefixTree, rootFromPath } from './log/prefix-tree.ts';
export type { TenantHead } from './log/prefix-tree.ts';
export { type AddedHash, appendedHashes, entryLeaf, type ReadTile, rootFromTiles } from './log/log-tree.ts';
export { consistencyProof, inclusionProof, verifyInclusion } from './log/log-tree.ts';
export {
  bundledEntry,
  bundleEntries,
  parseTilePath,
  type TileName,
  tilePath,
  tileWidth,
} from './log/log-tree.ts';
export { LogProofError, type LogProofErrorCode } from './log/tlog.ts';
export { parseNoteKey, parseTreeHead, type TreeHead, treeHeadText } from './log/tlog.ts';
export { cosignedMessage, verifyCheckpoint, type VerifiedCheckpoint } from './log/tlog.ts';
export type { VerifiedSignature, VerifyEd25519 } from './log/tlog.ts';
export { type LogPolicy, meetsQuorum, parsePolicy, type PolicyWitness, quorumTime } from './log/policy.ts';
export { formatTlogProof, parseTlogProof, type TlogProof } from './log/proof.ts';
export { formatExtra, momentEntry, parseExtra, type ProvenMoment, restartEntry } from './log/proof.ts';
export { type VerifiedProof, verifyProof } from './log/proof.ts';
export { formatNoteKey, type NoteKey, noteKey } from './signed-note.ts';
export { formatSignature, type Note, type NoteSignature, parseNote } from './signed-note.ts';
