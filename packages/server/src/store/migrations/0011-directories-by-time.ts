/** With these indexes, the hourly check of the directories reads only new rows. */
export const directoriesByTime = `
create index token_directory_by_time on eaas.token_directory (created_at);
create index tenant_names_by_time on eaas.tenant_names (created_at);
`;
