// The server as a library: an app, or a program with plugins of its own, starts it by `serve`.
/// <reference types="node" preserve="true" />
export type { DatabaseOptions, ListenOptions, Plugin, ServeOptions } from './app/options.ts';
export { serve } from './app/serve.ts';
