export { developmentFileIn, findDataDirectory, nearestDataDirectory } from './data-directory.ts';
export { embeddedIn, rootKeyInDirectory } from './open-embedded.ts';
