import type { EaasClientOptions } from './client.ts';

/** Returns the options unchanged, for platforms without environment variables. */
export const withEnvironment = (options: EaasClientOptions): EaasClientOptions => options;
