export type { SqlDialect } from './dialects.ts';
export { DatabaseError, type SqlDatabase, type SqlTemplateDatabase } from './database.ts';
export {
  encryptExisting,
  type EncryptExistingOptions,
  type EncryptExistingResult,
  type ExistingProgress,
} from './encrypt-existing.ts';
export { type ShownProgress, terminalBar, terminalLine, type TerminalLine } from './terminal-bar.ts';
