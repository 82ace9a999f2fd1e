// How the other commands find the database of `eaas dev` in a folder, and open it.
export { developmentFileIn, findDataDirectory, nearestDataDirectory } from './data-directory.ts';
export { embeddedIn } from './open-embedded.ts';
