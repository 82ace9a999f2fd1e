/** The MAC of a row covers the column only if it is true, so rows from before the migration keep their MACs. */
export const intake = `
alter table eaas.keys add column intake boolean not null default false;
`;
