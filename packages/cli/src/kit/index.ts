export { command, isParseError, WrongUsage } from './command.ts';
export { completionCommand } from './completion.ts';
export { helpCommand } from './help.ts';
export { guardOutput, note, printJson, printRows, shown } from './output.ts';
