import type { EaasClientOptions } from './client.ts';

/** Returns the options unchanged, because this platform has no environment variables. */
export const withEnvironment = (options: EaasClientOptions): EaasClientOptions => options;
