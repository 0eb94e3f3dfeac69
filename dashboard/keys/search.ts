/** The list of keys that a link shows: a search, an order and a state. */
import type { KeyListParameters } from '#dashboard/api/keys.ts';
import { textParameter } from '#dashboard/shell/search.ts';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';

export function parseKeysSearch(search: Record<string, unknown>): KeyListParameters {
  return {
    search: textParameter(search.search),
    order: search.order === 'spend' || search.order === 'last_used' ? search.order : undefined,
    state: search.state === 'ended' ? 'ended' : undefined,
  };
}

/** Whether the list has the key, by the rules of the API. */
export function isListed(
  { id, name, last_four: lastFour, state }: ApiKeyName,
  parameters: KeyListParameters,
): boolean {
  if ((state === 'active') === (parameters.state === 'ended')) return false;
  const text = parameters.search?.normalize('NFC');
  if (text === undefined) return true;
  return name.normalize('NFC').toLowerCase().includes(text.toLowerCase()) || id === text || lastFour === text;
}
