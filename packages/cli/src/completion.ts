import { Argument, type Command } from 'commander';
import { command } from './command.ts';

interface Place {
  readonly path: string;
  readonly words: readonly Word[];
}

interface Word {
  readonly text: string;
  readonly about: string;
  readonly value?: 'file' | 'text' | undefined;
}

const shells = { bash, zsh, fish };

export const completionCommand = command(
  'completion',
  'Print a script that completes commands and options in a shell.',
  [
    'completion bash >> ~/.bashrc',
    'completion zsh > "${fpath[1]}/_eaas"',
    'completion fish > ~/.config/fish/completions/eaas.fish',
  ],
)
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
  .action((shell: keyof typeof shells, _: object, self: Command) => {
    process.stdout.write(shells[shell](self.parent ? placesIn(self.parent, '') : []));
  });

function placesIn(from: Command, path: string): Place[] {
  const shown = from.options.filter(({ hidden }) => !hidden);
  const options = shown.map(({ long, description, flags }) => {
    return { text: long ?? '', about: description, value: valueIn(flags) };
  });
  const commands = from.commands.map((each) => ({ text: each.name(), about: each.summary() }));
  const choices = from.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const words = [...commands, ...choices.map((text) => ({ text, about: '' })), ...options];
  const below = from.commands.flatMap((each) => placesIn(each, `${path} ${each.name()}`.trim()));
  return [{ path, words: [...words, { text: '--help', about: 'show the help' }] }, ...below];
}

function valueIn(flags: string): Word['value'] {
  if (/[<[](?:file|path)[>\]]/.test(flags)) return 'file';
  return flags.includes('<') ? 'text' : undefined;
}

const wordsOf = ({ words }: Place): string => words.map(({ text }) => text).join(' ');

function bash(places: readonly Place[]): string {
  return `# Completion of eaas for bash.
_eaas() {
  local at= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${paths(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    '${place.path}') COMPREPLY=($(compgen -W '${wordsOf(place)}' -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
  esac
}
complete -o default -F _eaas eaas
`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef eaas
_eaas() {
  local at= word
  for word in \${words[2,CURRENT-1]}; do
    case "\${at:+$at }$word" in
      (${paths(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${places.map((place) => `    ('${place.path}') compadd -- ${wordsOf(place)} ;;`).join('\n')}
  esac
}
# zsh runs this file as a function from fpath, which must complete at once, or by \`source\`, which only registers it.
if [[ "$funcstack[1]" = _eaas ]]; then _eaas; else compdef _eaas eaas; fi
`;
}

function fish(places: readonly Place[]): string {
  const values = { file: ' -rF', text: ' -x' };
  const lines = places.flatMap(({ path, words }) =>
    words.map(({ text, about, value }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}${value ? values[value] : ''}` : `-a ${text}`;
      const description = about === '' ? '' : ` -d '${about.replaceAll(/['\\]/g, '\\$&')}'`;
      return `complete -c eaas -n '__eaas_at "${path && ` ${path}`}"' ${what}${description}`;
    }),
  );
  return `# Completion of eaas for fish.
function __eaas_at
  set -l at
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => `' ${path}'`)
        .join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c eaas -f
${lines.join('\n')}
`;
}

function paths(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : `'${path}'`)).join(' | ');
}
