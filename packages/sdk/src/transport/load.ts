import { LoadError } from '@eaas/protocol/internal';

export const load = <T>(what: string, module: Promise<T>): Promise<T> =>
  module.catch(() => {
    throw new LoadError(what);
  });
