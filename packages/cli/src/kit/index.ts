// What commands are built and printed with, here and in `eaas-files`, whose kit.ts takes it from here.
export { command, isParseError, WrongUsage } from './command.ts';
export { helpCommand } from './help.ts';
export { note, printJson, printRows, shown } from './output.ts';
