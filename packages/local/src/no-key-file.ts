// What `#key-file` is in pages and at the edge: without files, the option `file` is an error.
import { InputError } from '@eaas/protocol';
import type { openKeyFileStore as openInNode } from './key-file-store.ts';

/** Stands for key-file-store.ts where there are no files. */
export const openKeyFileStore: typeof openInNode = () => {
  throw new InputError(
    '`file` of `createLocalService` needs Node, Bun or Deno: in a page or at the edge, leave it out, and the keys are in memory',
  );
};
