/// <reference types="node" preserve="true" />
export type { DatabaseOptions, Extra, JobContext, ListenOptions, ServeOptions } from './app/options.ts';
export { type Development, serve } from './app/serve.ts';
