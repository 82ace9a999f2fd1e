import { freePort as freePortOf } from '../../packages/server/src/http/listen.ts';

export const freePort = (): Promise<number> => freePortOf({ host: '127.0.0.1', port: 0 });
