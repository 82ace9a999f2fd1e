export {
  listCheckpointFiles,
  readCheckpointFile,
  removeFilesOfTenant,
  requireCheckpointDirectory,
} from './checkpoint-files.ts';
export { checkpointFiles, nightlyVerification } from './nightly.ts';
