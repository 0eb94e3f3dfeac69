import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { parseRangeSearch, type Range, type RangeSearch, resolveRange } from './range.ts';

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
  return parseRangeSearch(useSearch({ strict: false }));
}
