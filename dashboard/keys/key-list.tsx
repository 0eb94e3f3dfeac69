import { type InfiniteData, keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { KeyRound, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { type KeyListParameters, keyListQuery, keySearchQuery } from '#dashboard/api/keys.ts';
import { Button } from '#dashboard/components/button.tsx';
import { EmptyState } from '#dashboard/components/feedback/empty-state.tsx';
import { LoadMore } from '#dashboard/components/feedback/load-more.tsx';
import { QueryStatus } from '#dashboard/components/feedback/query-panel.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { formatMonthDay } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeyList } from '#lambdas/accounts/organizations/responses.ts';
import type { KeyAction } from './actions/key-action.ts';
import { KeyTable, KeyTableSkeleton } from './key-table.tsx';

/** The pages of a list that have been loaded. While others load, those before stay. */
export function useKeyList(parameters: KeyListParameters) {
  const { id: organizationId } = useOrganization();
  const query = useInfiniteQuery({
    ...keyListQuery(organizationId, parameters),
    placeholderData: keepPreviousData,
  });
  const isWhole = parameters.search === undefined && parameters.state === undefined;
  const isEmpty = query.data !== undefined && !query.isPlaceholderData && isEmptyList(query.data);
  // Tells an organization without keys from one whose keys have all ended.
  const anyKey = useQuery({ ...keySearchQuery(organizationId, '', 1), enabled: isWhole && isEmpty });
  return { query, isFirst: isWhole && isEmpty && anyKey.data?.data.length === 0 };
}

type KeyListState = ReturnType<typeof useKeyList>;

function isEmptyList({ pages }: InfiniteData<ApiKeyList>): boolean {
  return pages.every(({ data, next_cursor: next }) => data.length === 0 && next === null);
}

interface KeyListProps {
  list: KeyListState;
  parameters: KeyListParameters;
  onChange: (change: KeyListParameters) => void;
  onAction: (action: KeyAction) => void;
}

/** The keys that match, page by page. */
export function KeyList({ list: { query }, parameters, onChange, onAction }: KeyListProps) {
  const [first] = query.data?.pages ?? [];
  if (first === undefined) {
    return (
      <Card>
        <QueryStatus query={query} skeleton={<KeyTableSkeleton />} />
      </Card>
    );
  }
  const keys = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <div className="flex flex-col gap-3">
      {first.ranking && (
        <p className="px-1 text-[0.8125rem] text-muted">
          {rankingText(first.ranking, first.spend_since, parameters.order)}
        </p>
      )}
      <p role="status" className="sr-only">
        {query.isPlaceholderData ? '' : countText(keys.length, query.hasNextPage)}
      </p>
      <div
        aria-busy={query.isPlaceholderData}
        className={query.isPlaceholderData ? 'opacity-60 transition-opacity' : undefined}
      >
        <Card>
          {keys.length > 0 ? (
            <KeyTable keys={keys} spendSince={first.spend_since} onAction={onAction} />
          ) : (
            <NoMatch parameters={parameters} hasMore={query.hasNextPage} onChange={onChange} />
          )}
        </Card>
      </div>
      {!query.isPlaceholderData && (
        <LoadMore query={query} label={keys.length === 0 ? 'Search further' : undefined} />
      )}
    </div>
  );
}

/** Returns text such as "The 1,000 keys that spent most since 1 Oct", or "… that were used last since 1 Oct". */
export function rankingText(
  { keys, complete: isComplete }: NonNullable<ApiKeyList['ranking']>,
  since: string,
  order: KeyListParameters['order'],
  locale?: Intl.LocalesArgument,
): string {
  const [one, many, most] =
    order === 'last_used'
      ? ['has been used', 'have been used', 'were used last']
      : ['has spent', 'have spent', 'spent most'];
  const day = formatMonthDay(since, locale);
  if (keys === 0) return `No key ${one} since ${day}.`;
  const count = formatCount(keys, locale);
  if (!isComplete) return `The ${count} keys that ${most} since ${day}.`;
  return keys === 1 ? `1 key ${one} since ${day}.` : `${count} keys ${many} since ${day}.`;
}

/** Returns text such as "25 keys, and there are more". */
export function countText(count: number, hasMore: boolean): string {
  return `${count} ${count === 1 ? 'key' : 'keys'}${hasMore ? ', and there are more' : ''}`;
}

interface NoMatchProps extends Pick<KeyListProps, 'parameters' | 'onChange'> {
  /** A page has no key, but further ones may. */
  hasMore: boolean;
}

function NoMatch({ parameters: { search, order, state }, hasMore, onChange }: NoMatchProps) {
  const kind = state === 'ended' ? 'ended' : 'active';
  if (search !== undefined) {
    const other = state === 'ended' ? undefined : 'ended';
    return (
      <EmptyState
        icon={SearchX}
        title={`No ${kind} key matches${hasMore ? ' yet' : ''}`}
        action={
          <span className="flex flex-wrap justify-center gap-2">
            <Button onClick={() => onChange({ search: undefined })}>Clear search</Button>
            <Button onClick={() => onChange({ state: other })}>
              Search {other === 'ended' ? 'ended' : 'active'} keys
            </Button>
          </span>
        }
      >
        {hasMore
          ? 'Only a part of the keys has been searched.'
          : 'A search finds a part of the name, a whole ID, or the last four characters.'}
      </EmptyState>
    );
  }
  if (order !== undefined) {
    return (
      <EmptyState icon={KeyRound} title={`No ${kind} key has ${order === 'spend' ? 'spent' : 'been used'}`}>
        Keys without requests are listed in the order of their creation.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={KeyRound} title={`No ${kind} key`}>
      {state === 'ended'
        ? 'Revoked and expired keys are listed here.'
        : 'All keys of this organization are revoked or have expired.'}
    </EmptyState>
  );
}

/** @param createButton null if the user may not create keys */
export function NoKeys({ createButton }: { createButton: ReactNode }) {
  return (
    <Card>
      {createButton ? (
        <EmptyState icon={KeyRound} title="Create your first key" action={createButton}>
          With it, any OpenAI client can call every model of this gateway, and each request shows its cost.
        </EmptyState>
      ) : (
        <EmptyState icon={KeyRound} title="No keys yet">
          Members of this organization can create them. Ask an admin if you need to.
        </EmptyState>
      )}
    </Card>
  );
}
