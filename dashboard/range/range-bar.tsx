import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTimeZone } from '#dashboard/components/values/time-zone.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { parseRangeSearch, type Range, type RangeSearch, resolveRange } from './range.ts';
import { RangeButton } from './range-button.tsx';

/** The choice of the range and the time zone, which changes the view's link. */
export function RangeBar() {
  const range = useRange();
  const navigate = useNavigate();
  const change = (search: RangeSearch) =>
    navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, ...search }),
      replace: true,
      resetScroll: false,
    });
  return <RangeButton range={range} onChange={change} />;
}

/** The range of the view's link. A range up to the present moves on with every minute, while the page is visible. */
export function useRange(): Range {
  const search = useRangeSearch();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const moveOn = () => {
      if (document.visibilityState === 'visible') setNow(new Date());
    };
    const interval = setInterval(moveOn, minuteMs);
    document.addEventListener('visibilitychange', moveOn);
    return () => {
      clearInterval(interval);
      document.removeEventListener('visibilitychange', moveOn);
    };
  }, []);
  return resolveRange(search, now);
}

/** The part of the view's link that links to other views keep. */
export function useRangeSearch(): RangeSearch {
  const timeZone = useTimeZone();
  const search = parseRangeSearch(useSearch({ strict: false }));
  return { ...search, time_zone: search.time_zone ?? timeZone };
}
