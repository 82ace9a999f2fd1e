import type { Permission } from '@eaas/protocol/wire';

const ofPlayground: readonly Permission[] = ['encrypt', 'decrypt', 'keys.read', 'keys.manage', 'audit.read'];

export function signInCommand(needs: Permission, tenant = '<tenant>'): string {
  const permissions = [...new Set([...ofPlayground, needs])].join(',');
  const name = /^[\w<>-]+$/.test(tenant) ? tenant : `'${tenant.replaceAll("'", `'\\''`)}'`;
  return `npx --no-install @eaas/cli api-key create --tenant ${name} --name console \\\n  --permissions ${permissions}`;
}
