export const keyName = 'contact form';

export async function findKey(eaas) {
  for await (const key of eaas.keys.list({ name: keyName, status: 'active' })) return key;
  return undefined;
}
