// What `eaas` and `eaas-files` share: commands, help and tables. The build copies it.
export { command, helpCommand, isParseError, note, printRows, WrongUsage } from '../../cli/src/kit/index.ts';
