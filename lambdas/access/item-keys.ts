/** The primary keys of organizations and API keys in the Directory table. */

export const organizationKey = (organizationId: string) => ({
  pk: `organization#${organizationId}`,
  sk: 'organization',
});

/** Lists the organizations, whose records have partitions of their own since chat reads them. */
export const organizationsPartition = 'organizations';

export const organizationPointerKey = (organizationId: string) => ({
  pk: organizationsPartition,
  sk: organizationId,
});

export const keyAccessKey = (keyHash: string) => ({ pk: `key#${keyHash}`, sk: 'key' });

interface KeyPartition {
  organizationId: string;
  archived: boolean;
}

export const keyPartition = ({ organizationId, archived }: KeyPartition) =>
  `${archived ? 'archived-keys' : 'keys'}#${organizationId}`;

export const keyRecordKey = (partition: KeyPartition, keyId: string) => ({
  pk: keyPartition(partition),
  sk: keyId,
});

const replacementsPartition = (organizationId: string) => `key-replacements#${organizationId}`;

/** Finds the keys that share the budgets of the first of several that were rotated. */
export const replacementsOf = (organizationId: string, firstKeyId: string) => ({
  partition: replacementsPartition(organizationId),
  prefix: `${firstKeyId}/`,
});

export const replacementKey = (organizationId: string, firstKeyId: string, keyId: string) => ({
  pk: replacementsPartition(organizationId),
  sk: `${firstKeyId}/${keyId}`,
});
