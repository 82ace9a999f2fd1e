// The earlier code that `regress` compares with: which commit it is, and a checkout of it that is built.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@eaas/test-kit/markdown';
import { launch } from '@eaas/test-kit/program';
import type { Defer } from './compare.ts';

/** The output of a git command, or nothing if the command fails. */
export type Git = (...args: readonly string[]) => string | undefined;

export type Earlier = { readonly reason: string } & (
  | { readonly commit: string }
  | { readonly directory: string }
);

/**
 * Chooses what `given` names, or else the last commit that main already has: what a merge of the checkout would change.
 * If main has it all, the last change is the one in the working tree, or else the last commit.
 */
export function chooseEarlier(given: string, git: Git, exists: (path: string) => boolean): Earlier {
  const commitOf = (name: string) => git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (given !== '') {
    const reason = 'named by BENCH_EARLIER';
    if (exists(join(given, 'package.json'))) return { directory: given, reason };
    const commit = commitOf(given);
    if (commit !== undefined) return { commit, reason };
    throw new Error(`BENCH_EARLIER must be a commit, or the directory of a checkout (got "${given}").`);
  }
  const head = commitOf('HEAD');
  for (const main of ['origin/main', 'main']) {
    const commit = git('merge-base', 'HEAD', main);
    if (commit !== undefined && commit !== head) return { commit, reason: `where this branch left ${main}` };
  }
  if (head !== undefined && git('status', '--porcelain') !== '') {
    return { commit: head, reason: 'HEAD, because the working tree has changes' };
  }
  const commit = commitOf('HEAD~1');
  if (commit !== undefined) return { commit, reason: 'HEAD~1' };
  throw new Error('git knows no earlier commit: set BENCH_EARLIER to the directory of a checkout.');
}

export const git: Git = (...args) => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/** Returns the directory of a checkout whose dependencies are installed and whose packages are built. */
export async function checkOut(earlier: Earlier, defer: Defer): Promise<string> {
  if ('directory' in earlier) return built(earlier.directory, defer);
  const folder = await mkdtemp(join(tmpdir(), 'eaas-earlier-'));
  const checkout = join(folder, 'eaas');
  defer(async () => {
    git('worktree', 'remove', '--force', checkout);
    await rm(folder, { recursive: true, force: true });
  });
  await done(['git', 'worktree', 'add', '--quiet', '--detach', checkout, earlier.commit], root, defer);
  await done(['npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund'], checkout, defer);
  return checkout;
}

export async function built(checkout: string, defer: Defer): Promise<string> {
  await done(['npm', 'run', 'prepare'], checkout, defer);
  return checkout;
}

async function done(command: readonly string[], cwd: string, defer: Defer): Promise<void> {
  const { child, stdout, stderr } = launch(command, {}, cwd);
  const closed = once(child, 'close');
  defer(async () => {
    if (child.kill()) await closed;
  });
  const [code] = await closed;
  if (code !== 0) {
    throw new Error(`\`${command.join(' ')}\` failed (${code}) in ${cwd}:\n${stdout()}${stderr()}`);
  }
}
