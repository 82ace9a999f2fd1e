// What packages of this repository need of migrations, and apps do not. It can change in any version.
export { DatabaseError } from './database.ts';
export { type LeakageReport, leakageTable, measureLeakage, publicList, type PublicValue } from './leakage.ts';
export type { EncryptedDatabase, TableOptions } from './source.ts';
