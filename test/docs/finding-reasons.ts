// Every reason that a verification of the log can return, read from the code. The contract lists them, and the runbook
// explains them.
import { apiKeys, keys, keyVersions, subjects, tenants } from '@eaas/service';
import { issuers } from '../../packages/service/src/plugins/issuers/table.ts';
import { read } from '@eaas/test-kit/markdown';

export function findingReasons(): string[] {
  const files = ['verify', 'entries', 'scan-rows'].map((name) => `packages/service/src/verify/${name}.ts`);
  const ofServer = ['plugins/public-log', 'operator/verify'].map((name) => `packages/server/src/${name}.ts`);
  const code = [...files, ...ofServer].map(read).join('');
  const literal = code.matchAll(
    /'(contradiction|(?:entry|time|head|purge|rows|checkpoint|proof|blocks)_\w+)'/g,
  );
  const ofRows = [tenants, keys, keyVersions, apiKeys, issuers, subjects].flatMap(({ name, record }) =>
    ['changed', ...(record ? ['put_back'] : [])].map((what) => `${name.slice(0, -1)}_${what}`),
  );
  const all = new Set([...Array.from(literal, ([, text = '']) => text), ...ofRows, 'tenant_missing']);
  return [...all].toSorted();
}
