/** The zone of the person who is signed in: the profile's, or else the browser's. */

import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { patch } from '#dashboard/api/client.ts';
import { accountQuery, signInSessionQuery } from '#dashboard/api/sign-in.ts';
import { notifyFailure } from '#dashboard/components/feedback/toast.tsx';
import { browserTimeZone } from '#dashboard/components/values/time-zone.ts';
import type { Session } from '#lambdas/accounts/sign-in/responses.ts';
import { isTimeZone } from './zone.ts';

/** The profile's zone of the last session in this browser, with which the first reports of the next one begin. */
const storageKey = 'time-zone';

/** For loaders. Waits for the session only where none has been before. */
export async function loadPersonTimeZone(queryClient: QueryClient): Promise<string> {
  const loaded = queryClient.getQueryData(signInSessionQuery.queryKey);
  if (loaded !== undefined || rememberedZone() !== null) return zoneOf(loaded);
  // Without a session, the view leads to the sign-in.
  return zoneOf(await queryClient.fetchQuery(signInSessionQuery).catch(() => undefined));
}

export function usePersonTimeZone(): string {
  const { data } = useQuery({ ...signInSessionQuery, enabled: false });
  return zoneOf(data);
}

/** The zone that the person has chosen; `null` for that of each browser. */
export function useProfileTimeZone(): string | null {
  const { data } = useQuery({ ...signInSessionQuery, enabled: false });
  return data === undefined ? null : profileZone(data);
}

function zoneOf(session: Session | undefined): string {
  if (session === undefined) return rememberedZone() ?? browserTimeZone();
  return profileZone(session) ?? browserTimeZone();
}

function profileZone({ time_zone: timeZone }: Session): string | null {
  // A browser may not know a zone that another one has stored.
  return isTimeZone(timeZone) ? timeZone : null;
}

/** Null if nothing is remembered. */
function rememberedZone(): string | null {
  try {
    const zone = localStorage.getItem(storageKey);
    if (zone === '') return browserTimeZone();
    return isTimeZone(zone) ? zone : null;
  } catch {
    return null;
  }
}

export function rememberTimeZone(session: Session): void {
  try {
    localStorage.setItem(storageKey, profileZone(session) ?? '');
  } catch {
    // Without storage, the first reports wait for the session.
  }
}

/** Stores the zone in the profile; with `null`, it is that of each browser. */
export function useSaveTimeZone() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (timeZone: string | null) => patch('/account', { time_zone: timeZone }),
    onSuccess: (account, timeZone) => {
      queryClient.setQueryData(accountQuery.queryKey, account);
      queryClient.setQueryData(
        signInSessionQuery.queryKey,
        (session) => session && { ...session, time_zone: timeZone },
      );
    },
    onError: ({ message }) => notifyFailure(message),
  });
}
