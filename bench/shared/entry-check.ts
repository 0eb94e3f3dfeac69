/** Looks into the log entries that are written: each once, and under the organization of whoever asked. */

/** What organization, key and user are called that belong together, by the hash of the key. */
export function nameOf(keyHash: string): string {
  return keyHash.slice(0, 20);
}

/** The hash that the record of a key is asked for by. */
export function keyHashIn(getItem: string): string {
  return /"key#([0-9a-f]+)"/.exec(getItem)?.[1] ?? '';
}

interface WrittenEntry {
  Item: {
    id: { S: string };
    organization_id: { S: string };
    api_key_id: { S: string };
    /** Behind the organization's partition the user, who is to have the name of the key. */
    user_key?: { S: string };
    output_tokens?: { N: string };
  };
}

/** Counts `entries`, those that came `again`, the `misplaced` ones, and the `outputTokens` of all. */
export function createEntryCheck(counts: Record<string, number>): (putItem: string) => void {
  const seen = new Set<string>();
  const add = (name: string, amount: number) => {
    counts[name] = (counts[name] ?? 0) + amount;
  };
  return (putItem) => {
    const { Item }: WrittenEntry = JSON.parse(putItem);
    add(seen.has(Item.id.S) ? 'again' : 'entries', 1);
    seen.add(Item.id.S);
    const user = Item.user_key?.S.split('#').at(-1);
    const isOwn = Item.organization_id.S === `org_${user}` && Item.api_key_id.S === `key_${user}`;
    if (!isOwn) add('misplaced', 1);
    add('outputTokens', Number(Item.output_tokens?.N ?? 0));
  };
}
