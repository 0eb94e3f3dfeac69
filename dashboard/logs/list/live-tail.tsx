import { Toggle } from '@base-ui/react/toggle';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { analyticsPath, type LogParameters } from '#dashboard/api/analytics.ts';
import { get } from '#dashboard/api/client.ts';
import { serverTimeMs } from '#dashboard/api/server-clock.ts';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import { rangeInstants } from '#dashboard/range/range.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { addToTail, emptyTail, hasGap, type Tail, tailStart } from './tail.ts';
import { pageEntries } from './use-log-list.ts';

interface LiveToggleProps {
  isLive: boolean;
  /** False for a range that ends in the past. */
  isAvailable: boolean;
  error: Error | null;
  /** The number of entries that have arrived while it was on. */
  arrived: number;
  onChange: (isLive: boolean) => void;
}

/** Follows new requests while it is on. */
export function LiveToggle({ isLive, isAvailable, error, arrived, onChange }: LiveToggleProps) {
  const explanation = isAvailable
    ? (error?.message ?? 'Adds new requests as they end, every two seconds')
    : 'Live needs a range up to the present, the newest first';
  return (
    <>
      <Tooltip content={explanation}>
        <Toggle
          pressed={isLive}
          disabled={!isAvailable}
          onPressedChange={onChange}
          className={classNames(
            buttonClasses({ size: 'small' }),
            'data-pressed:border-success-line data-pressed:bg-success-soft data-pressed:text-success',
          )}
        >
          <span
            aria-hidden
            className={classNames(
              'size-2 rounded-full',
              !isLive && 'bg-placeholder',
              isLive && (error ? 'bg-warning' : 'animate-pulse bg-success'),
            )}
          />
          Live
        </Toggle>
      </Tooltip>
      <Announcement arrived={arrived} />
    </>
  );
}

const pauseMs = 5000;

/** Counts new requests for screen readers, every few seconds at most. */
function Announcement({ arrived }: { arrived: number }) {
  const [text, setText] = useState('');
  const latest = useRef(arrived);
  latest.current = arrived;
  const announced = useRef(arrived);
  useEffect(() => {
    const interval = setInterval(() => {
      const count = latest.current - announced.current;
      announced.current = latest.current;
      if (count > 0) setText(`${formatCount(count)} new ${count === 1 ? 'request' : 'requests'}`);
    }, pauseMs);
    return () => clearInterval(interval);
  }, []);
  return (
    <span role="status" className="sr-only">
      {text}
    </span>
  );
}

const pollMs = 2000;
const maxPageEntries = 1000;
/** As many are kept; then the list starts over. */
const maxTailEntries = 5000;

interface LiveTailOptions {
  organizationId: string;
  parameters: LogParameters;
  pinnedAtMs: number;
  isEnabled: boolean;
  listed: readonly ListedLogEntry[];
  /** Loads the list again, after more entries have arrived than can be shown above it. */
  onGap: () => void;
}

/** The entries that have arrived since the list was loaded. Pauses while the page is hidden. */
export function useLiveTail(options: LiveTailOptions): { tail: Tail; error: Error | null } {
  const { organizationId, parameters, pinnedAtMs, isEnabled, listed, onGap } = options;
  const queryClient = useQueryClient();
  const queryKey = ['organizations', organizationId, 'analytics', 'tail', parameters, pinnedAtMs];
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Tail> => {
      const tail = queryClient.getQueryData<Tail>(queryKey) ?? emptyTail(pinnedAtMs);
      const rangeStart = rangeInstants(parameters, new Date(), parameters.time_zone ?? 'UTC').start;
      const start = tailStart(rangeStart, serverTimeMs(tail.readAtMs)).toISOString();
      const read = (limit: number) =>
        get(analyticsPath(organizationId, '/logs', { ...parameters, start, limit }), signal);
      const nowMs = Date.now();
      const newestId = maxId(tail.entries[0]?.id, listed[0]?.id);
      let page = await read(pageEntries);
      if (hasGap(page, newestId)) page = await read(maxPageEntries);
      const isFull = hasGap(page, newestId) || tail.entries.length > maxTailEntries;
      if (isFull) return { ...tail, hasGap: true };
      return addToTail(tail, page.data, new Set(listed.map(({ id }) => id)), nowMs);
    },
    enabled: isEnabled,
    staleTime: 0,
    refetchInterval: pollMs,
    structuralSharing: false,
  });
  const tail = query.data ?? emptyTail(pinnedAtMs);
  useEffect(() => {
    if (tail.hasGap) onGap();
  }, [tail.hasGap, onGap]);
  return { tail, error: isEnabled ? query.error : null };
}

function maxId(one: string | undefined, other: string | undefined): string | null {
  if (one === undefined || other === undefined) return one ?? other ?? null;
  return one > other ? one : other;
}
