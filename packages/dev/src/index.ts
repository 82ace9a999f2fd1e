export { dev, type DevOptions, printSignIn } from './dev.ts';
