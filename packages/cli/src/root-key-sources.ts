import { rootKeyInWrappedFile } from '@eaas/root-keys';
import {
  CannotStart,
  type ProviderEnvironment,
  rootKeyFromCommand,
  rootKeyInFile,
  rootKeyInVariable,
  type RootKeyProvider,
} from '@eaas/server/internal';
import type { Read } from './config-values.ts';

type Source = (variable: string, value: string, env: ProviderEnvironment) => RootKeyProvider;

const sources = [
  ['', rootKeyInVariable],
  ['_FILE', rootKeyInFile],
  ['_COMMAND', rootKeyFromCommand],
  ['_WRAPPED_FILE', rootKeyInWrappedFile],
] as const satisfies readonly (readonly [string, Source])[];

export function readRootKeys(
  read: Read,
  env: ProviderEnvironment,
): { rootKey: RootKeyProvider | null; previousRootKey: RootKeyProvider | null } {
  const current = onlyOne(read, 'EAAS_ROOT_KEY');
  const previous = onlyOne(read, 'EAAS_ROOT_KEY_PREVIOUS');
  if (current && previous && previous.value === current.value) {
    throw new CannotStart(
      `${previous.variable} and ${current.variable} contain the same root key: remove ${previous.variable}.`,
    );
  }
  return { rootKey: current?.open(env) ?? null, previousRootKey: previous?.open(env) ?? null };
}

function onlyOne(read: Read, prefix: 'EAAS_ROOT_KEY' | 'EAAS_ROOT_KEY_PREVIOUS') {
  const given = sources.flatMap(([end, source]) => {
    const variable = `${prefix}${end}` as const;
    const value = read(variable);
    if (value === undefined) return [];
    const open = (env: ProviderEnvironment): RootKeyProvider => source(variable, value, env);
    return [{ variable, value, open }];
  });
  const [one, other] = given;
  if (one && other) {
    throw new CannotStart(
      `${one.variable} and ${other.variable} are both set: remove one of these variables.`,
    );
  }
  return one;
}
