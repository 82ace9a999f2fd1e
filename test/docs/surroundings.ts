/**
 * What the code of a README takes for granted, as code that stands before it. Its blocks then go on from one
 * another, as one program; the blocks of a README that is not listed here stand each for itself.
 */
export const surroundings: Readonly<Record<string, string>> = {
  sdk: `
import { playService } from '../../../test/docs/played-service.ts';
process.env.EAAS_API_KEY = 'eaas_sk_of-a-reader';
const keyId = playService();
`,
};
