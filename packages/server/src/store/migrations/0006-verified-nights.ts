/** The columns are null in rows of an earlier version. Such rows count as missing. */
export const verifiedNights = `
alter table eaas.verification_markers add column night bigint;
alter table eaas.verifications add column mac bytea;
`;
