// `npm run docs` serves the site, and `npm run docs:build` builds it; both install VitePress first if it is missing.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requireTools } from '@eaas/test-kit/tools';

const [command = 'dev', ...words] = process.argv.slice(2);
process.stderr.write('Installing the dependencies of docs/site, unless they are there …\n');
const modules = await requireTools('docs/site');
const child = spawn(process.execPath, [`${modules}/vitepress/bin/vitepress.js`, command, '.', ...words], {
  cwd: fileURLToPath(new URL('.', import.meta.url)),
  stdio: 'inherit',
});
child.on('close', (code) => {
  if (code === 0 && command === 'build') process.stderr.write('The site is in docs/site/dist.\n');
  process.exitCode = code ?? 1;
});
