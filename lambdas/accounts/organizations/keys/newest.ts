/** Pages of keys in the order of their creation, the newest first. */
import type { ApiKey, ApiKeyReader } from '#lambdas/access/directory.ts';
import { descending } from '#lambdas/platform/merge-sorted.ts';
import { isKeyId, isListed, type KeyFilter } from './filter.ts';

type KeyPageReader = Pick<ApiKeyReader, 'findApiKeys' | 'queryApiKeys'>;

interface NewestKeysQuery {
  organizationId: string;
  filter: KeyFilter;
  /** The id after which the page begins; `null` for the first page. */
  before: string | null;
  limit: number;
}

interface NewestKeys {
  apiKeys: ApiKey[];
  /** The id after which the next page begins; `null` on the last one. */
  next: string | null;
}

/** After so many keys, a page ends although it is not full. More than an organization can have active keys. */
const maxReadKeys = 12_000;
/** About half of the 1 MB that DynamoDB reads at once. */
const searchChunk = 1000;

export async function readNewestKeys(
  directory: KeyPageReader,
  { organizationId, filter, before, limit }: NewestKeysQuery,
  now: Date,
): Promise<NewestKeys> {
  const { search } = filter;
  if (search !== null && isKeyId(search.text)) {
    const apiKeys = await directory.findApiKeys(organizationId, [search.text]);
    return { apiKeys: apiKeys.filter((apiKey) => isListed(apiKey, filter, now)), next: null };
  }
  const found: ApiKey[] = [];
  const chunkSize = search === null ? limit + 1 : searchChunk;
  let position = before;
  // One key more than the page has shows whether there is a next page.
  for (let read = 0; read < maxReadKeys; ) {
    const chunk = await readChunk(directory, { organizationId, filter, before: position, limit: chunkSize });
    found.push(...chunk.apiKeys.filter((apiKey) => isListed(apiKey, filter, now)));
    if (found.length > limit) return { apiKeys: found.slice(0, limit), next: found[limit - 1]?.id ?? null };
    if (chunk.through === null) return { apiKeys: found, next: null };
    position = chunk.through;
    read += chunk.keysRead;
  }
  return { apiKeys: found, next: position };
}

interface Chunk {
  apiKeys: ApiKey[];
  keysRead: number;
  /** The chunk has every key up to and including this id; `null` if there are no further keys. */
  through: string | null;
}

async function readChunk(
  directory: KeyPageReader,
  { filter, limit, ...range }: NewestKeysQuery,
): Promise<Chunk> {
  const pages =
    filter.state === 'active'
      ? [await directory.queryApiKeys({ ...range, archived: false, limit })]
      : [
          // Most of them are active. The archive comes second: keys move there, and must not be missed on the way.
          await directory.queryApiKeys({ ...range, archived: false, limit: searchChunk }),
          await directory.queryApiKeys({ ...range, archived: true, limit }),
        ];
  const apiKeys = pages.flatMap((page) => page.apiKeys);
  const ends = pages.flatMap((page) => (page.more ? (page.apiKeys.at(-1)?.id ?? []) : []));
  const [through = null] = ends.sort(descending);
  const byId = new Map(apiKeys.map((apiKey) => [apiKey.id, apiKey]));
  return {
    apiKeys: [...byId.values()]
      .filter(({ id }) => through === null || id >= through)
      .sort((one, other) => descending(one.id, other.id)),
    keysRead: apiKeys.length,
    through,
  };
}
