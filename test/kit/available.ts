import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    needs?: string;
  }
}

export function whereAvailable(what: string, available: boolean, tests: () => void): void {
  // oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- this function is a `describe`
  describe(what, { skip: !available, meta: { needs: what } }, tests);
}

export function isInstalled(program: string, ...folders: readonly string[]): boolean {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return [...path, ...folders].some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
