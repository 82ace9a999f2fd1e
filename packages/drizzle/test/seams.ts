// Compares what `@eaas/drizzle` hooks in another version of Drizzle with the version that was judged last, whose facts are in
// seams.json: `npm run seams`, or with a version or a tag: `npm run seams -- 1.0.0-rc.5`. `--write` after it has been judged.
// Drizzle 1.0 has what we hook in other places; a port stands on `@eaas/sdk/fields` like the package for Prisma.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Facts, factsOf } from './seam-facts.ts';

const place = join(import.meta.dirname, 'seams.json');
const options = process.argv.slice(2);
const wanted = options.find((each) => !each.startsWith('--')) ?? 'rc';
const folder = mkdtempSync(join(tmpdir(), 'drizzle-'));
try {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', ['install', ...quiet, `drizzle-orm@${wanted}`], {
    cwd: folder,
    stdio: [...stdio],
    shell,
  });
  if (status !== 0) {
    throw new Error(`npm must find the version or tag ${wanted} of drizzle-orm: see its error above`);
  }
  const load = createRequire(join(folder, 'index.js'));
  const { npmVersion } = load('drizzle-orm/version') as { readonly npmVersion: string };
  const facts = factsOf(folder);
  const judged = JSON.parse(readFileSync(place, 'utf8')) as {
    readonly version: string;
    readonly facts: Facts;
  };
  const names = [...new Set([...Object.keys(judged.facts), ...Object.keys(facts)])];
  const moved = names.filter((name) => JSON.stringify(judged.facts[name]) !== JSON.stringify(facts[name]));
  const lines = [
    `drizzle-orm ${npmVersion}: ${moved.length} of ${names.length} seams moved since ${judged.version}`,
  ];
  for (const name of moved) {
    lines.push(
      '',
      name,
      `  was ${JSON.stringify(judged.facts[name])}`,
      `  is  ${JSON.stringify(facts[name])}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  if (options.includes('--write')) {
    writeFileSync(place, `${JSON.stringify({ version: npmVersion, facts }, null, 2)}\n`);
  } else if (moved.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
