import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** The present of a list, which is read page by page: its range must not move on meanwhile. */
interface PinnedTime {
  /** The list that it belongs to. */
  subject: string;
  now: Date;
}

/** By the keys of the history's entries, so that going back finds the same list at the same position. */
const pinnedTimes = new Map<string, PinnedTime>();

/** @param subject changes with the range and filters */
export function usePinnedTime(subject: string): { now: Date; renew: () => void } {
  const key = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const [pinned, setPinned] = useState(() => pinnedTimeOf(key, subject));
  const current = pinned.subject === subject ? pinned : pinnedTimeOf(key, subject);
  if (current !== pinned) setPinned(current);
  useEffect(() => {
    pinnedTimes.set(key, current);
  }, [key, current]);
  return { now: current.now, renew: () => setPinned({ subject, now: new Date() }) };
}

function pinnedTimeOf(key: string, subject: string): PinnedTime {
  const pinned = pinnedTimes.get(key);
  return pinned?.subject === subject ? pinned : { subject, now: new Date() };
}
