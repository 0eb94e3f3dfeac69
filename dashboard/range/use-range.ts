import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { parseRangeSearch, type Range, type RangeSearch, resolveRange } from './range.ts';

/** The range of the view's link. A range up to the present moves on with every minute. */
export function useRange(): Range {
  const search = useRangeSearch();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const interval = setInterval(() => setNow(new Date()), 60_000);
    return () => clearInterval(interval);
  }, []);
  return resolveRange(search, now);
}

/** The part of the view's link that links to other views keep. */
export function useRangeSearch(): RangeSearch {
  return parseRangeSearch(useSearch({ strict: false }));
}
