import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from './closing.ts';

/** A new directory, which is removed after the test, or after the tests of the file. */
export function newDirectory(): Promise<string> {
  const remove = (path: string) =>
    rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  return closing(mkdtemp(join(tmpdir(), 'eaas-test-')), remove);
}
