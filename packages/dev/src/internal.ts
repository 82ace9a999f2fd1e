export { developmentFileIn, findDataDirectory, nearestDataDirectory } from './data-directory.ts';
export { embeddedIn } from './open-embedded.ts';
