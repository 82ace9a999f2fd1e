import type { Command } from './command.ts';
import { WrongUsage } from './failure.ts';

const shells = { bash, zsh, fish };

export function completionOf(commands: readonly Command[]): Command {
  const completion: Command = {
    name: 'completion',
    operand: ' <shell>',
    about: 'Print a script that completes commands and options in a shell: bash, zsh or fish.',
    options: {},
    examples: [
      'eaas-files completion bash >> ~/.bashrc',
      'eaas-files completion zsh > "${fpath[1]}/_eaas-files"',
      'eaas-files completion fish > ~/.config/fish/completions/eaas-files.fish',
    ],
    async run({ parsed: { paths } }) {
      const [shell = ''] = paths;
      if (!isShell(shell) || paths.length > 1)
        throw new WrongUsage('Pass the name of one shell: bash, zsh or fish.');
      process.stdout.write(shells[shell]([...commands, completion]));
      return 0;
    },
  };
  return completion;
}

const isShell = (name: string): name is keyof typeof shells => Object.hasOwn(shells, name);

const namesOf = (commands: readonly Command[]): string =>
  [...commands.map(({ name }) => name), 'help'].join(' ');

const optionsOf = ({ options }: Command): string =>
  [...Object.keys(options), 'help'].map((name) => `--${name}`).join(' ');

function bash(commands: readonly Command[]): string {
  return `# Completion of eaas-files for bash.
_eaas_files() {
  local options='${namesOf(commands)}'
  (( COMP_CWORD == 1 )) || case "\${COMP_WORDS[1]}" in
${commands.map((each) => `    ${each.name}) options='${optionsOf(each)}' ;;`).join('\n')}
    help) options='${namesOf(commands)} exit-codes' ;;
    *) options='' ;;
  esac
  COMPREPLY=($(compgen -W "$options" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _eaas_files eaas-files
`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef eaas-files
_eaas_files() {
  if (( CURRENT == 2 )); then
    compadd -- ${namesOf(commands)}
  elif [[ "$PREFIX" != -* ]]; then
    _files
  else
    case "$words[2]" in
${commands.map((each) => `      (${each.name}) compadd -- ${optionsOf(each)} ;;`).join('\n')}
    esac
  fi
}
# The shell runs this file as a function of fpath, which completes immediately, or by \`source\`.
if [[ "$funcstack[1]" = _eaas-files ]]; then _eaas_files; else compdef _eaas_files eaas-files; fi
`;
}

function fish(commands: readonly Command[]): string {
  const isFirst = 'test (count (commandline -opc)) -eq 1';
  const lines = commands.flatMap(({ name, about, options }) => {
    const summary = about.replace(/\.( .*)?$/, '');
    const first = `complete -c eaas-files -n '${isFirst}' -f -a ${name} -d ${quoted(summary)}`;
    const rest = Object.entries(options).map(([option, { value, about }]) => {
      const follows = value === undefined ? '' : value === 'path' ? ' -rF' : ' -x';
      return `complete -c eaas-files -n '__fish_seen_subcommand_from ${name}' -l ${option}${follows} -d ${quoted(about)}`;
    });
    return [first, ...rest];
  });
  return `# Completion of eaas-files for fish.\n${lines.join('\n')}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
