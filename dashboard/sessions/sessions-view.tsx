import { sessionsRoute } from './route.ts';
import { SessionList } from './session-list.tsx';
import { SessionPage } from './session-page.tsx';

/** The sessions of the range, or the one in the link. */
export function SessionsView() {
  const { session_id: sessionId } = sessionsRoute.useSearch();
  return sessionId === undefined ? <SessionList /> : <SessionPage key={sessionId} sessionId={sessionId} />;
}
