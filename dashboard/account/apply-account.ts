import type { QueryClient } from '@tanstack/react-query';
import { accountQuery, signInSessionQuery } from '#dashboard/api/sign-in.ts';
import type { Account } from '#lambdas/accounts/sign-in/responses.ts';

/** Stores a changed account, whose name and address the user menu shows too. */
export function applyAccount(queryClient: QueryClient, account: Account): void {
  const { name, email } = account;
  queryClient.setQueryData(accountQuery.queryKey, account);
  queryClient.setQueryData(
    signInSessionQuery.queryKey,
    (session) => session && { ...session, user: { ...session.user, name, email } },
  );
}
