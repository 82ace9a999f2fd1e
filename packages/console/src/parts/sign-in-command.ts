import type { Permission } from '@eaas/protocol/wire';

const ofSignInCodes: readonly Permission[] = ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read'];

export function signInCommand(needs: Permission, tenant = '<tenant>'): string {
  const permissions = [...new Set([...ofSignInCodes, needs])].join(',');
  const name = /^[\w<>-]+$/.test(tenant) ? tenant : `'${tenant.replaceAll("'", `'\\''`)}'`;
  return `npx @eaas/server api-key create --tenant ${name} --name console \\\n  --permissions ${permissions}`;
}
