import { nobleIntakeCrypto } from '@eaas/protocol/internal-intake';

export const { engine, hmac } = nobleIntakeCrypto;
