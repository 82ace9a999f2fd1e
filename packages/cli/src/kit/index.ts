export { command, isParseError, WrongUsage } from './command.ts';
export { helpCommand } from './help.ts';
export { guardOutput, note, printJson, printRows, shown } from './output.ts';
