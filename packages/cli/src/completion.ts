// `eaas completion`: a script for a shell that completes the commands and options of this version.
import { type AnyCommand, Argument, command } from './command.ts';

interface Level {
  /** The words before, each after a space. */
  readonly path: string;
  readonly words: string;
}

function levelsOf(from: AnyCommand, path = ''): Level[] {
  const names = from.commands.map((each) => each.name());
  const words = [...names, ...from.options.map(({ long }) => long ?? ''), '--help'].join(' ');
  return [{ path, words }, ...from.commands.flatMap((each) => levelsOf(each, `${path} ${each.name()}`))];
}

/** How bash and zsh find the command that the words name, and what may follow it. */
const cases = (given: string, levels: readonly Level[], known: string, offer: string) => `
  local at= word
  for word in ${given}; do
    case "$at $word" in ${known}) at="$at $word" ;; esac
  done
  case $at in
${levels.map(({ path, words }) => `  '${path}') ${offer.replace('%', words)} ;;`).join('\n')}
  esac`;

const scripts: Readonly<Record<string, (levels: readonly Level[], known: string) => string>> = {
  bash: (levels, known) => `_eaas() {
  local words${cases('"${COMP_WORDS[@]:1:COMP_CWORD-1}"', levels, known, "words='%'")}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _eaas eaas
`,
  zsh: (levels, known) => `_eaas() {${cases('${words[2,CURRENT-1]}', levels, known, 'compadd -- %')}
  _files
}
compdef _eaas eaas
`,
  fish: (levels, known) => `function _eaas
  set -l at ''
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${known.replaceAll('|', ' ')}; and set at "$at $word"
  end
  switch "$at"
${levels.map(({ path, words }) => `    case '${path}'\n      printf '%s\\n' ${words}`).join('\n')}
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
    const levels = parent ? levelsOf(parent) : [];
    const known = levels.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
    process.stdout.write(scripts[shell]?.(levels, known.join('|')) ?? '');
  });
