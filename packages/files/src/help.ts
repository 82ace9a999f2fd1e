import type { Command } from './command.ts';
import type { Options } from './options.ts';

const help = ['-h, --help', 'show this help'] as const;
const width = 80;

export function programHelp(commands: readonly Command[]): string {
  const options = [['-V, --version', 'print the version'], help] as const;
  const rows = commands.map(({ name, operand, about }) => {
    return [`${name} [options]${operand}`, about.replace(/\.( .*)?$/, '')] as const;
  });
  return `Usage: eaas-files [options] [command]

Encrypt, decrypt and inspect files under the keys of a service.

Options:
${table(options)}

Commands:
${table([...rows, ['help [topic]', 'show the help of a command, or the exit codes']])}

EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID name the service and the key.
\`eaas-files help exit-codes\` lists the exit codes.
`;
}

export function commandHelp({ name, operand, about, options, examples }: Command): string {
  return `Usage: eaas-files ${name} [options]${operand}

${wrapped(about, width, '')}

Options:
${table([...rowsOf(options), help])}

Examples:
${examples.map((line) => `  ${line}`).join('\n')}
`;
}

function rowsOf(options: Options): (readonly [string, string])[] {
  return Object.entries(options).map(([name, { short, value, about }]) => {
    const flags = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [value === undefined ? flags : `${flags} <${value}>`, about] as const;
  });
}

function table(rows: readonly (readonly [string, string])[]): string {
  const first = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => {
    return `  ${left.padEnd(first)}  ${wrapped(right, Math.max(40, width - first - 4), ' '.repeat(first + 4))}`;
  });
  return lines.join('\n');
}

function wrapped(text: string, length: number, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && line.length + 1 + word.length > length) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}
