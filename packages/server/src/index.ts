export type { DatabaseOptions, Extra, JobContext, ListenOptions, ServeOptions } from './app/options.ts';
export { appOptions, type Development, serve, startAppAndJobs } from './app/serve.ts';
