import type { ActiveSession } from '#lambdas/accounts/sessions/active-session.ts';
import { keyOf, type SessionStore } from '#lambdas/accounts/sessions/store.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';

/** Their requests are refused from now on, also while they are being renewed. */
export async function endOtherSessions(sessions: SessionStore, { token }: ActiveSession): Promise<void> {
  const records = await sessions.list(token.userId);
  const others = records.filter(({ hash }) => hash !== token.hash);
  await forEachConcurrently(others, 10, (record) => sessions.delete(keyOf(record)));
}
