/**
 * Adds columns to the results of verifications. Results from before this migration have null in these columns, and
 * count as missing.
 */
export const verifiedNights = `
alter table eaas.verification_markers add column night bigint;
alter table eaas.verifications add column mac bytea;
`;
