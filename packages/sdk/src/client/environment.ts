import type { EaasClientOptions } from './client.ts';

export const withEnvironment = (options: EaasClientOptions): EaasClientOptions => options;
