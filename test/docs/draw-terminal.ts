// Draws docs/terminal.svg: types commands of docs/start/tokens.md in a real terminal, and shows them as they were typed,
// with what they printed and how long they took. `npm run pictures` runs it. It needs npm's registry and `sqlite3`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { libraries, pack } from '@eaas/test-kit/published';
import { blocksOf, commandsOf, read, root } from '@eaas/test-kit/markdown';
import { openTerminal } from '@eaas/test-kit/terminal';

const stored = "sqlite3 app.db 'select substr(key,1,46) from connectors'";
const commands = [
  '# A key, in one variable:',
  '(umask 077 && npx --no-install @eaas/local new >> .env)',
  '# Store a value, and find its row by it:',
  'npx tsx --env-file=.env find.mts',
  '# The database has only this:',
  stored,
  '# A new version of the key:',
  '(umask 077 && npx --no-install @eaas/local rotate --in 0 < .env > next.env)',
  '# The value moves to it, still encrypted:',
  'npx tsx --env-file=next.env rewrap.mts',
  stored,
];
const columns = 46;
const lineHeight = 19;
/** Seconds. */
const perCharacter = { typed: 0.04, read: 0.02 };
const pause = 0.4;

interface Line {
  readonly text: string;
  readonly kind: 'comment' | 'command' | 'output';
  /** When it is typed or shown, in seconds from the start. */
  readonly at: number;
}

const folder = mkdtempSync(join(tmpdir(), 'eaas-terminal-'));
const terminal = await openTerminal(folder);
const lines: Line[] = [];
const transcript: string[] = [];
let now = pause;

async function run(command: string): Promise<{ readonly output: string; readonly seconds: number }> {
  const begin = performance.now();
  const { output, failed } = await terminal.type(command);
  if (failed.length > 0) throw new Error(`the command must succeed (got ${output}): ${command}`);
  return { output: output.trim(), seconds: (performance.now() - begin) / 1000 };
}

function show(text: string, kind: Line['kind']): void {
  transcript.push(text);
  for (const line of text.split('\n')) {
    for (const [part] of line.matchAll(new RegExp(`.{1,${columns}}(?: |$)`, 'g'))) {
      lines.push({ text: part, kind, at: now });
      if (kind !== 'output') now += part.length * perCharacter.typed;
    }
  }
}

try {
  for (const library of libraries) await pack(library, folder);
  const page = read('docs/start/tokens.md');
  for (const file of ['connectors.mts', 'find.mts', 'rewrap.mts']) {
    for (const block of blocksOf(page, `ts ${file}`)) writeFileSync(join(folder, file), block);
  }
  for (const command of commandsOf(page).filter((each) => each.startsWith('npm install '))) {
    await run(command.replace('/tmp/', `${folder}/`));
  }
  for (const command of commands) {
    show(`$ ${command}`, command.startsWith('#') ? 'comment' : 'command');
    const { output, seconds } = await run(command);
    now += seconds;
    if (output !== '') show(output, 'output');
    now += pause + output.length * perCharacter.read;
  }
} finally {
  await terminal.close();
  rmSync(folder, { recursive: true });
}
writeFileSync(`${root}docs/terminal.svg`, drawn());
process.stdout.write(`docs/terminal.svg shows ${Math.round(now)} seconds.\n`);

function drawn(): string {
  const texts = lines.map(({ text, kind, at }, index) => {
    const style = `--at:${at.toFixed(2)}s;--for:${(text.length * perCharacter.typed).toFixed(2)}s;--of:${text.length}`;
    const y = 28 + index * lineHeight;
    return `  <text class="${kind}" x="16" y="${y}" style="${style}">${escaped(text)}</text>\n`;
  });
  const height = 28 + lines.length * lineHeight;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="${height}" viewBox="0 0 400 ${height}" role="img" aria-labelledby="title description" font-family="ui-monospace, monospace" font-size="13">
  <title id="title">A terminal: a new key, a row, and a rotation</title>
  <desc id="description">${escaped(transcript.join('\n'))}</desc>
  <style>
    rect { fill: #f6f7fb; stroke: #5b6478; }
    text { fill: #1c2233; white-space: pre; animation: shown 0s var(--at) both; }
    .comment { fill: #14653a; }
    .output { fill: #4d566b; }
    .comment, .command { animation: typed var(--for) steps(var(--of)) var(--at) both; }
    @keyframes shown { from { opacity: 0; } }
    @keyframes typed { from { clip-path: inset(0 100% 0 -1ch); } to { clip-path: inset(0 -1ch); } }
    @media (prefers-reduced-motion: reduce) { text, .comment, .command { animation: none; } }
    @media (prefers-color-scheme: dark) {
      rect { fill: #1b2030; stroke: #8a93a8; }
      text { fill: #eef0f6; }
      .comment { fill: #7fdba6; }
      .output { fill: #b4bccd; }
    }
  </style>
  <rect x="1" y="1" width="398" height="${height - 2}" rx="10" />
${texts.join('')}</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
