import { ServiceError } from './errors.ts';

/** Waits for a module that the app loads on demand. */
export async function load<T>(what: string, module: Promise<T>): Promise<T> {
  try {
    return await module;
  } catch {
    throw new ServiceError(
      'network',
      `a JavaScript file of this app (${what}) could not be loaded: check that the file is still deployed`,
    );
  }
}
