/** The keys of the AuditTrail table. Used by the stack that creates it and the code that reads it. */
export const auditTrailSchema = {
  partitionKey: 'organization_id',
  sortKey: 'id',
  /** The TTL attribute, in seconds since 1970. */
  expiry: 'expires_at',
} as const;

/** The partition of changes that concern no single organization, such as provider credentials. */
export const gatewayPartition = 'gateway';
