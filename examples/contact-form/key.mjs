export const keyName = 'contact form';

export function fail(reason) {
  console.error(reason);
  process.exit(2);
}

export function requireVariables() {
  for (const name of ['EAAS_BASE_URL', 'EAAS_API_KEY'])
    if (!process.env[name]) fail(`${name} must be set (got no value): use the command in README.md`);
}

export async function findKey(eaas) {
  for await (const key of eaas.keys.list({ name: keyName, status: 'active' })) return key;
  return undefined;
}
