import { useSyncExternalStore } from 'react';

/** All columns fit beside the navigation. */
const query = '(min-width: 80rem)';

export function useIsWide(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => matchMedia(query).matches,
  );
}
