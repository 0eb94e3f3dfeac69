import { queryOptions } from '@tanstack/react-query';
import type { Account, Session, SessionList, SignInOptions } from '#lambdas/accounts/session/responses.ts';
import { get } from './client.ts';

export const signInOptionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: ({ signal }) => get<SignInOptions>('/sign-in-options', signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => get<Session>('/session', signal),
  staleTime: 60_000,
});

export const sessionListQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => get<SessionList>('/sessions', signal),
});

export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => get<Account>('/account', signal),
});
