import type { LogEntryDetails } from '#lambdas/accounts/analytics/responses.ts';

export interface EntryProps {
  entry: LogEntryDetails;
}
