// What `#environment` is in a page, where no variables are: options stay as the app passed them.
import type { EaasClientOptions } from './client.ts';

export const withEnvironment = (options: EaasClientOptions): EaasClientOptions => options;
