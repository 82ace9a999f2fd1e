// What `eaas` and `eaas-files` share: commands, help, completion and tables. The build copies it.
export {
  command,
  completionCommand,
  guardOutput,
  helpCommand,
  isParseError,
  note,
  printRows,
  WrongUsage,
} from '../../cli/src/kit/index.ts';
