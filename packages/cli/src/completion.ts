// `eaas completion`: a script for a shell that completes the commands and options of this version.
import { type AnyCommand, Argument, command } from './command.ts';

/** `path` is the words before, each with a space after it. */
type Level = Readonly<Record<'path' | 'words', string>>;

/** The commands below come first, because the first path that the words begin with decides. */
function levelsOf(from: AnyCommand, path = ''): Level[] {
  const names = from.commands.map((each) => each.name());
  const words = [...names, ...from.options.map(({ long }) => long ?? ''), '--help'].join(' ');
  return [...from.commands.flatMap((each) => levelsOf(each, `${path}${each.name()} `)), { path, words }];
}

/** Offers what may follow the words: `%` stands for it. */
const cases = (words: string, levels: readonly Level[], offer: string) => `
  case "${words} " in
${levels.map(({ path, words }) => `  '${path}'*) ${offer.replace('%', words)} ;;`).join('\n')}
  esac`;

const scripts: Readonly<Record<string, (levels: readonly Level[]) => string>> = {
  bash: (levels) => `_eaas() {
  local words${cases('${COMP_WORDS[*]:1:COMP_CWORD-1}', levels, "words='%'")}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _eaas eaas
`,
  zsh: (levels) => `_eaas() {${cases('${words[2,CURRENT-1]}', levels, 'compadd -- %')}
  _files
}
compdef _eaas eaas
`,
  fish: (levels) => `function _eaas
  switch (string join ' ' -- (commandline -opc)[2..] '')
${levels.map(({ path, words }) => `    case '${path}*'\n      printf '%s\\n' ${words}`).join('\n')}
  end
end
complete -c eaas -a '(_eaas)'
`,
};

export const completion = command(
  'completion',
  'Print a script that lets a shell complete commands and options.',
  [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc   # after compinit',
    'completion fish > ~/.config/fish/completions/eaas.fish',
  ],
)
  .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
  .action((shell, _, { parent }) => {
    process.stdout.write(scripts[shell]?.(parent ? levelsOf(parent) : []) ?? '');
  });
