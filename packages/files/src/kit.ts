// What `eaas` and `eaas-files` share: commands, help and tables. The build copies it.
export {
  command,
  guardOutput,
  helpCommand,
  isParseError,
  note,
  printRows,
  WrongUsage,
} from '../../cli/src/kit/index.ts';
