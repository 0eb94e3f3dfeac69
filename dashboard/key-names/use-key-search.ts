import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keySearchQuery } from '#dashboard/api/keys.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';

/** A key, or something else that can be chosen instead. */
export interface KeyOption {
  /** The id of the key. */
  value: string;
  label: string;
  detail?: string;
}

/** A search begins when nothing has been typed for so long. */
export const searchDelayMs = 250;

const maxOptions = 20;

/**
 * The keys that match what is typed, the newest of the active keys first. Read from the API, since there may be 10,000.
 *
 * @param state only active keys, or those that have ended too
 */
export function useKeySearch(state: 'active' | 'any') {
  const { id: organizationId } = useOrganization();
  const [text, setText] = useState('');
  const search = useDelayed(text.trim());
  const query = useQuery({
    // One more shows whether there are further ones.
    ...keySearchQuery(organizationId, search, maxOptions + 1),
    placeholderData: keepPreviousData,
  });
  const found = query.data?.data.filter((key) => state === 'any' || key.state === 'active') ?? [];
  return {
    text,
    setText,
    query,
    keys: found.slice(0, maxOptions),
    hasMore: found.length > maxOptions,
  };
}

export type KeySearch = ReturnType<typeof useKeySearch>;

/** Returns the text once nothing else has been typed for a moment. */
export function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text);
  useEffect(() => {
    const timeout = setTimeout(() => setDelayed(text), searchDelayMs);
    return () => clearTimeout(timeout);
  }, [text]);
  return delayed;
}

export function keyOption({ id, name, last_four: lastFour, state }: ApiKeyName): KeyOption {
  const details = { active: `…${lastFour}`, expired: 'Expired', revoked: 'Revoked' };
  return { value: id, label: name, detail: details[state] };
}
