export type { SqlDialect } from './dialects.ts';
export { DatabaseError, type SqlDatabase, type SqlTemplateDatabase } from './database.ts';
export {
  encryptExisting,
  type EncryptExistingOptions,
  type EncryptExistingResult,
  type ExistingProgress,
} from './encrypt-existing.ts';
export { type ShownProgress, terminalBar, terminalLine, type TerminalLine } from './terminal-bar.ts';
export {
  type CoarserLeakage,
  type ColumnLeakage,
  type LeakageOptions,
  type LeakageReport,
  leakageTable,
  measureLeakage,
  type Repetition,
} from './leakage.ts';
export { type Matching, publicList, type PublicValue } from './rank-matching.ts';
