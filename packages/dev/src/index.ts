// What `eaas dev` loads, and no other command.
export { dev, type DevOptions, printSignIn } from './dev.ts';
