import { Toggle } from '@base-ui/react/toggle';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { analyticsPath, type LogParameters } from '#dashboard/api/analytics.ts';
import { get } from '#dashboard/api/client.ts';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { addToTail, emptyTail, type Tail } from './tail.ts';

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
/** The most that one response has; more are a gap. */
const maxNewEntries = 1000;

interface LiveTailOptions {
  organizationId: string;
  parameters: LogParameters;
  pinnedAtMs: number;
  /** `tail` of the list's first page; `null` as long as the list is not followed. */
  token: string | null;
  listed: readonly ListedLogEntry[];
  /** Loads the list again, after more entries have arrived than can be shown above it. */
  onGap: () => void;
}

/** The entries that have been written since the list was loaded. Pauses while the page is hidden. */
export function useLiveTail(options: LiveTailOptions): { tail: Tail; error: Error | null } {
  const { organizationId, parameters, pinnedAtMs, token, listed, onGap } = options;
  const queryClient = useQueryClient();
  const queryKey = ['organizations', organizationId, 'analytics', 'tail', parameters, pinnedAtMs];
  const isEnabled = token !== null;
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Tail> => {
      const tail = queryClient.getQueryData<Tail>(queryKey) ?? emptyTail(token ?? '');
      const written = { ...parameters, written_after: tail.token, limit: maxNewEntries };
      const response = await get(analyticsPath(organizationId, '/logs', written), signal);
      return addToTail(tail, response, new Set(listed.map(({ id }) => id)), Date.now());
    },
    enabled: isEnabled,
    staleTime: 0,
    refetchInterval: pollMs,
    structuralSharing: false,
  });
  const tail = query.data ?? noTail;
  useEffect(() => {
    if (tail.hasGap) onGap();
  }, [tail.hasGap, onGap]);
  return { tail, error: isEnabled ? query.error : null };
}

const noTail = emptyTail('');
