/** The MAC of a row covers `intake` only if `intake` is true, so rows from before the migration keep their MACs. */
export const intake = `
alter table eaas.keys add column intake boolean not null default false;
`;
