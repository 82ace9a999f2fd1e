// What `eaas` and `eaas-files` share: commands, help, completion and tables. The build copies it.
export * from '../../cli/src/kit/index.ts';
