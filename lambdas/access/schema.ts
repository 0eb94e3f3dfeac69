/** The keys and the index of the Directory table. Used by the stack that creates it and the code that reads it. */
export const directoryKeys = { partition: 'pk', sort: 'sk' } as const;

/** The index for listing the API keys of an organization. Only the admin commands read it. */
export const keysByOrganization = {
  indexName: 'by-organization',
  partitionKey: 'organization_id',
  sortKey: 'id',
} as const;
