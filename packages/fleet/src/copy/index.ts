export { copyDatabase, type CopyReport } from './copy-database.ts';
