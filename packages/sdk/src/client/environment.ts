import type { EaasClientOptions } from '../client/client.ts';

export const withEnvironment = (options: EaasClientOptions): EaasClientOptions => options;
