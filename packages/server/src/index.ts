/// <reference types="node" preserve="true" />
export type { DatabaseOptions, ListenOptions, Plugin, ServeOptions } from './app/options.ts';
export { serve } from './app/serve.ts';
