export { command, isParseError, WrongUsage } from './command.ts';
export { helpCommand } from './help.ts';
export { note, printJson, printRows, shown } from './output.ts';
