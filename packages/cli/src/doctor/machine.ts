import { stat } from 'node:fs/promises';
import { getuid } from 'node:process';
import { findDataDirectory } from '@eaas/dev/internal';
import { isOpenToOthers } from '@eaas/server/internal';
import type { Config } from '../config.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const oldestNode = [20, 19] as const;
const oldestMaintained = 22;

export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    return failed('node', `Node ${version} is too old: install Node ${oldestNode.join('.')} or later.`);
  }
  if (major < oldestMaintained || major % 2 === 1) {
    return warning(
      'node',
      `Node ${version} gets no security fixes, or will soon get none: use an LTS version (22 or 24).`,
    );
  }
  return ok('node', `Node ${version} is supported.`);
}

export async function judgeFiles(config: Config): Promise<Finding[]> {
  const { databaseUrl, rootKey, previousRootKey } = config;
  const findings: Finding[] = [];
  let rootKeyFile = rootKey?.file;
  if (databaseUrl === null) {
    const check = 'data_directory';
    const found = await findDataDirectory(config.dataDirectory).catch((error: Error) => error);
    if (found instanceof Error) findings.push(failed(check, found.message));
    else {
      findings.push(
        ok(check, `The data directory ${found.path} belongs to this user, and others have no access.`),
      );
      if (!rootKey) rootKeyFile = found.rootKeyFile;
    }
  }
  for (const file of [rootKeyFile, previousRootKey?.file]) {
    if (file !== undefined) findings.push(await judgeRootKeyFile(file));
  }
  for (const provider of [rootKey, previousRootKey]) {
    if (provider?.program !== undefined) findings.push(await judgeProgram(provider.program));
  }
  return findings;
}

async function judgeRootKeyFile(path: string): Promise<Finding> {
  const check = 'root_key_file';
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) return failed(check, `The root key ${path} cannot be read (${stats.code}).`);
  if (isOpenToOthers(stats)) {
    return failed(
      check,
      `Other users of this machine can read the root key file ${path}. Run \`chmod 600 ${path}\`.`,
    );
  }
  if (isForeign(stats.uid)) {
    return failed(
      check,
      `The root key file ${path} belongs to the user id ${stats.uid}, so this user can change the root key.`,
    );
  }
  return ok(check, `Only this user and root can read the root key ${path}.`);
}

/**
 * Checks the permissions of the program that returns the root key, because anyone who can change the program can read
 * the root key.
 */
async function judgeProgram(path: string): Promise<Finding> {
  const check = 'root_key_command';
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) return failed(check, `The program ${path} cannot be run (${stats.code}).`);
  if ((stats.mode & 0o022) !== 0 || isForeign(stats.uid)) {
    return failed(
      check,
      `Other users of this machine can change the program ${path}. Make root its owner and set mode 755.`,
    );
  }
  return ok(check, `Only this user and root can change the program ${path}.`);
}

function isForeign(uid: number): boolean {
  return uid !== 0 && uid !== getuid?.();
}
