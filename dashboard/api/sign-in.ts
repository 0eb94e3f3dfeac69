/** Queries of the sign-in, its sessions and the account. */
import { queryOptions } from '@tanstack/react-query';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { get } from './client.ts';

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => get('/sign-in-options', signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const signInSessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get('/session', signal),
  staleTime: minuteMs,
});

export const signInSessionListQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get('/sessions', signal),
});

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get('/account', signal),
});
