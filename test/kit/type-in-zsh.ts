import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './program.ts';

/** In the second zsh, Ctrl-X P writes the completed line to the file `completed` and exits. */
const script = String.raw`
zmodload zsh/zpty
zpty shell TERM=dumb zsh -f -i
zpty -w shell 'source ./init.zsh'
zpty -w -n shell "$1"$'\t\C-xp'
while zpty -r shell text; do :; done
cat completed
`;
const init = (completion: string): string => `
autoload -Uz compinit && compinit -u -D
source '${completion}'
finish() { print -r -- "$BUFFER" > completed; exit }
zle -N finish && bindkey '^Xp' finish
`;

export async function typeInZsh(cwd: string, completion: string, line: string): Promise<string> {
  await writeFile(join(cwd, 'init.zsh'), init(completion));
  return (await run(['zsh', '-f', '-c', script, 'zsh', line], {}, { cwd })).stdout;
}
