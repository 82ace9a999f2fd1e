import { Argument, type Command } from 'commander';
import { command } from './command.ts';

/** A command, named by its path such as `key create`, and the words that can follow it. */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  /** Whether its arguments are files. */
  readonly takesFiles: boolean;
}

interface Word {
  readonly text: string;
  readonly about: string;
  readonly value?: 'file' | 'text' | undefined;
}

const shells = { bash, zsh, fish };
const isFile = /^(?:file|path)$/;

/** Makes the command `completion` of the program. It prints a script that knows all commands and options by itself. */
export function completionCommand(program: string): Command {
  const examples = [
    `${program} completion bash >> ~/.bashrc`,
    `${program} completion zsh > "\${fpath[1]}/_${program}"`,
    `${program} completion fish > ~/.config/fish/completions/${program}.fish`,
  ];
  return command('completion', 'Print a script that completes commands and options in a shell.', examples)
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .action((shell: keyof typeof shells, _: object, self: Command) => {
      process.stdout.write(shells[shell](program, self.parent ? placesIn(self.parent, '') : []));
    });
}

function placesIn(from: Command, path: string): Place[] {
  const shown = from.options.filter(({ hidden }) => !hidden);
  const options = shown.map(({ long, description, flags }) => {
    return { text: long ?? '', about: description, value: valueIn(flags) };
  });
  const commands = from.commands.map((each) => ({ text: each.name(), about: each.summary() }));
  const topics =
    from.name() === 'help' ? ['exit-codes', ...(from.parent?.commands ?? []).map((each) => each.name())] : [];
  const choices = [...topics, ...from.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])];
  const words = [...commands, ...choices.map((text) => ({ text, about: '' })), ...options];
  const below = from.commands.flatMap((each) => placesIn(each, `${path} ${each.name()}`.trim()));
  const takesFiles = from.registeredArguments.some((argument) => isFile.test(argument.name()));
  return [{ path, takesFiles, words: [...words, { text: '--help', about: 'show the help' }] }, ...below];
}

function valueIn(flags: string): Word['value'] {
  const [, name] = /[<[](.+)[>\]]/.exec(flags) ?? [];
  if (name === undefined) return undefined;
  if (isFile.test(name)) return 'file';
  return flags.includes('<') ? 'text' : undefined;
}

const wordsOf = ({ words }: Place): string => words.map(({ text }) => text).join(' ');

/** The name of a function in the shell. */
const functionOf = (program: string): string => `_${program.replaceAll('-', '_')}`;

/** The function that walks along the words before the cursor, in the words of bash and zsh. */
function walking(program: string, places: readonly Place[], words: string, cases: readonly string[]): string {
  return `${functionOf(program)}() {
  local at= word
  for word in ${words}; do
    case "\${at:+$at }$word" in
      (${paths(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.map((line) => `    ${line} ;;`).join('\n')}
  esac
}`;
}

function bash(program: string, places: readonly Place[]): string {
  const cases = places.map(
    (place) =>
      `('${place.path}') COMPREPLY=($(compgen -W '${wordsOf(place)}' -- "\${COMP_WORDS[COMP_CWORD]}"))`,
  );
  return `# Completion of ${program} for bash.
${walking(program, places, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"', cases)}
complete -o default -F ${functionOf(program)} ${program}
`;
}

function zsh(program: string, places: readonly Place[]): string {
  const cases = places.map((place) => {
    const files = place.takesFiles ? '[[ "$PREFIX" != -* ]] && _files || ' : '';
    return `('${place.path}') ${files}compadd -- ${wordsOf(place)}`;
  });
  return `#compdef ${program}
${walking(program, places, '${words[2,CURRENT-1]}', cases)}
# zsh runs this file as a function from fpath, which must complete at once, or by \`source\`, which only registers it.
if [[ "$funcstack[1]" = _${program} ]]; then ${functionOf(program)}; else compdef ${functionOf(program)} ${program}; fi
`;
}

function fish(program: string, places: readonly Place[]): string {
  const values = { file: ' -rF', text: ' -x' };
  const at = `_${functionOf(program)}_at`;
  const lines = places.flatMap(({ path, words, takesFiles }) => {
    const here = `complete -c ${program} -n '${at} "${path && ` ${path}`}"'`;
    const all = words.map(({ text, about, value }) => {
      const what = text.startsWith('--') ? `-l ${text.slice(2)}${value ? values[value] : ''}` : `-a ${text}`;
      const description = about === '' ? '' : ` -d '${about.replaceAll(/['\\]/g, '\\$&')}'`;
      return `${here} ${what}${description}`;
    });
    return takesFiles ? all : [`${here} -f`, ...all];
  });
  return `# Completion of ${program} for fish.
function ${at}
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
${lines.join('\n')}
`;
}

function paths(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : `'${path}'`)).join(' | ');
}
