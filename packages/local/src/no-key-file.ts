import { InputError } from '@eaas/protocol';
import type { NewTenant, Tenant } from './tenant.ts';

/** Stands for key-file.ts where there are no files. */
export function openFileTenant(_path: string, _fields: NewTenant): Tenant {
  throw new InputError(
    '`file` of `localService` needs Node, Bun or Deno: in a page or at the edge, leave it out, and the keys are in memory',
  );
}
