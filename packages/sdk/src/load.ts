import { LoadError } from '@eaas/protocol/internal';

/** Waits for a module that the client loads on demand. Throws LoadError if the module cannot be loaded. */
export const load = <T>(what: string, module: Promise<T>): Promise<T> =>
  module.catch(() => {
    throw new LoadError(what);
  });
