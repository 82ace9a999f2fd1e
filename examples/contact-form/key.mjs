export const keyName = 'contact form';

export function fail(reason) {
  console.error(reason);
  process.exit(2);
}

export function requireVariables() {
  for (const name of ['EAAS_BASE_URL', 'EAAS_API_KEY'])
    if (!process.env[name]) fail(`${name} must be set (got no value): use the command in README.md`);
}

/** Parses the messages that receive.mjs appends to its file. */
export function parseMessages(text, file) {
  try {
    return text
      .split('\n')
      .filter((line) => line)
      .map((line) => {
        const { submission, ciphertext } = JSON.parse(line);
        return { submission, ciphertext };
      });
  } catch {
    return fail(`${file} must have one JSON object per line: pass the file that receive.mjs writes`);
  }
}

export async function findKey(eaas) {
  for await (const key of eaas.keys.list({ name: keyName, status: 'active' })) return key;
  return undefined;
}
