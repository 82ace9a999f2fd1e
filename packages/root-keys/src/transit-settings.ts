import { readFile } from 'node:fs/promises';
import { CannotStart, hostOf, isLoopback, type ProviderEnvironment } from '@eaas/server/internal';

export async function readTransitSettings(env: ProviderEnvironment) {
  const read = (name: string): string | undefined => env[`BAO_${name}`] || env[`VAULT_${name}`] || undefined;
  const text = read('ADDR');
  const address = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  const isSecure =
    address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(hostOf(address)));
  if (!address || !isSecure || address.username || address.password) {
    throw new CannotStart(
      'VAULT_ADDR must be the URL of OpenBao or Vault, as in https://vault.example:8200. Use https, or http if the host is this machine.',
    );
  }
  if (!address.pathname.endsWith('/')) address.pathname += '/';
  const [given, tokenFile, caFile] = [read('TOKEN'), read('TOKEN_PATH'), read('CACERT')];
  if (given !== undefined && tokenFile !== undefined) {
    throw new CannotStart('VAULT_TOKEN and VAULT_TOKEN_PATH are both set: remove one of these variables.');
  }
  const token = given ?? (tokenFile === undefined ? undefined : await fileOf('VAULT_TOKEN_PATH', tokenFile));
  if (token === undefined) {
    throw new CannotStart(
      'There is no token for Transit: set VAULT_TOKEN to the token, or VAULT_TOKEN_PATH to a file with the token.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token.trim())) {
    throw new CannotStart(
      'The token from VAULT_TOKEN or VAULT_TOKEN_PATH must have only ASCII characters, without spaces and line breaks.',
    );
  }
  return {
    address,
    token: token.trim(),
    namespace: read('NAMESPACE'),
    ca: caFile === undefined ? undefined : await fileOf('VAULT_CACERT', caFile),
  };
}

function fileOf(variable: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `${variable}: the file ${path} cannot be read (${error.code}). Correct the path or the permissions of the file.`,
    );
  });
}
