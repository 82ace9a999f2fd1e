export {
  buildPrefixTree,
  leafOf,
  positionOf,
  type PrefixTree,
  rootFromPath,
  type TenantHead,
} from './log/prefix-tree.ts';
export * from './log/log-tree.ts';
export * from './log/tlog.ts';
export * from './log/proof.ts';
export { formatSignature, type Note, type NoteSignature, parseNote } from './signed-note.ts';
